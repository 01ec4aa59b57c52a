package adapter

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestSuppressedLinesAreTold has the first line after some that were refused tell how
// many, and no other one.
func TestSuppressedLinesAreTold(t *testing.T) {
	var log record
	j := journal{logger: slog.New(slog.NewJSONHandler(&log, nil)), config: testConfig()}
	good := assessment{verdict: verdict{live: true, ready: true}, standing: standing{passes: [endpoints]bool{true, true, true}}}
	bad := assessment{verdict: verdict{lacks: lacksCommand}}

	at := instant(time.Hour)
	for range linesAtOnce / 2 {
		j.write(at, good)
		j.write(at, bad)
	}
	const refused = 5
	for range refused {
		j.write(at, good)
	}
	if got := suppressed(t, &log); len(got) != linesAtOnce {
		t.Fatalf("%d lines, want %d", len(got), linesAtOnce)
	} else if got[len(got)-1] != 0 {
		t.Error("something is suppressed, and yet it is not")
	}
	j.write(at+instant(lineEvery), good)
	j.write(at+instant(2*lineEvery), bad)
	if got := suppressed(t, &log); len(got) != 2 || got[0] != refused || got[1] != 0 {
		t.Errorf("the lines tell of %v suppressed, want [%d 0]", got, refused)
	}
}

// suppressed is what each line since the last time tells of: 0 is nothing.
func suppressed(t *testing.T, log *record) (counts []int) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(log.take()))
	for decoder.More() {
		var line struct{ Suppressed *int }
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		n := 0
		if line.Suppressed != nil {
			if n = *line.Suppressed; n == 0 {
				t.Error("a line tells that 0 are suppressed")
			}
		}
		counts = append(counts, n)
	}
	return counts
}

// TestStopIsNoFailure of the node: the sample that a stop has killed is not logged.
func TestStopIsNoFailure(t *testing.T) {
	good := run{takes: 100 * ms, output: encoded(t, healthy())}
	for name, c := range map[string]struct {
		runs []run
		want []string
	}{
		"the first sample":   {[]run{hangs}, nil},
		"after a good one":   {[]run{good, hangs}, []string{"state "}},
		"after a failed one": {[]run{{output: []byte("{}")}, hangs}, []string{"state document"}},
	} {
		t.Run(name, func(t *testing.T) {
			var log record
			inVirtualTime(t, 0, played(c.runs...), func(b *bench) {
				b.until(1200 * ms) // in the middle of the one that hangs
				b.Stop()
				b.until(2 * time.Second)
				wantLines(b, log.lines(b.T), c.want...)
			}, log.attach)
		})
	}
}
