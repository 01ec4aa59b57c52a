//go:build linux

package bench

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// frozen is a clock that stands, so that two scrapes tell the same ages.
type frozen struct{}

func (frozen) Now() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC) }

// values reads a scrape: every value by series, and the comments.
func values(t *testing.T, text string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			all[line] = 0
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if _, twice := all[line[:at]]; err != nil || twice {
			t.Fatalf("line %q: %v, twice %v", line, err, twice)
		}
		all[line[:at]] = value
	}
	return all
}

// All that is compared tells the same metrics, help, types, labels and values.
func TestExportsTellTheSame(t *testing.T) {
	const processors, each = 20, 12 // each: a status has three series, the rest one.
	e, err := newExports(processors, frozen{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.close(); err != nil {
			t.Error(err)
		}
	}()
	want := values(t, scrape(e.ours))
	if e.series < processors*each {
		t.Errorf("%d series of %d processors, want %d a processor", e.series, processors, each)
	}
	collector, err := behindRegistry(e.ours)
	if err != nil {
		t.Fatal(err)
	}
	constants, err := behindRegistry(e.constants)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"collector": scrape(collector), "constants": scrape(constants), "otel": scrape(e.otel),
	} {
		if diff := cmp.Diff(want, values(t, text)); diff != "" {
			t.Errorf("%s (-text handler +%s):\n%s", name, name, diff)
		}
	}
}

func TestSameSeriesFindsOneThatIsMissing(t *testing.T) {
	few, err := newExports(3, nil)
	if err != nil {
		t.Fatal(err)
	}
	many, err := newExports(4, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameSeries(few.ours, few.otel); err != nil {
		t.Error(err)
	}
	if err := sameSeries(few.ours, many.otel); err == nil {
		t.Error("scrapes of three and of four processors count as the same")
	}
	if err := few.ours.Close(); err != nil {
		t.Error(err)
	}
	if err := sameSeries(few.ours, few.ours); err == nil {
		t.Error("scrapes without any series count as the same")
	}
	for _, e := range []*exports{few, many} {
		if err := e.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPerUnit(t *testing.T) {
	f := Figure{Value: 100, Low: 90, High: 110, Case: 5000, Base: 50}
	got := f.perUnit(1000, 10, 3)
	want := Figure{Value: 1, Low: 0.9, High: 1.1, Case: 5, Base: 5, Allocs: 0.3}
	for name, pair := range map[string][2]float64{
		"value": {got.Value, want.Value}, "low": {got.Low, want.Low}, "high": {got.High, want.High},
		"case": {got.Case, want.Case}, "base": {got.Base, want.Base}, "allocations": {got.Allocs, want.Allocs},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("%s %v, want %v", name, pair[0], pair[1])
		}
	}
	if a := f.perUnit(1000, 1000, 9).Allocs; a != 0 {
		t.Errorf("nine allocations for a thousand: %v each, want none", a)
	}
}
