package prom_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/prom"
	"github.com/loopvitals/loopvitals/tiers"
)

// must ends the test when wiring fails.
func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func newMonitor(t testing.TB, b *board.Board, opts ...liveness.Option) *liveness.Monitor {
	t.Helper()
	m, err := liveness.NewMonitor(b, opts...)
	must(t, err)
	return m
}

// monitors are the sources of some boards.
func monitors(t testing.TB, boards ...*board.Board) otelbridge.Sources {
	t.Helper()
	var src otelbridge.Sources
	for _, b := range boards {
		src.Monitors = append(src.Monitors, newMonitor(t, b))
	}
	return src
}

func newExporter(t testing.TB, src otelbridge.Sources, opts ...prom.Option) *prom.Exporter {
	t.Helper()
	e, err := prom.New(src, opts...)
	must(t, err)
	t.Cleanup(func() { must(t, e.Close()) })
	return e
}

// evaluate asks a tier and waits until the observers have seen the samples.
func evaluate(t testing.TB, set *tiers.Set, tier tiers.Tier) {
	t.Helper()
	set.Evaluate(t.Context(), tier)
	synctest.Wait()
}

// rig exports the same sources in all three ways.
type rig struct {
	exporter  *prom.Exporter
	collector *prometheus.Registry // ours
	bridge    *prometheus.Registry // OpenTelemetry's exporter behind our bridge
}

func newRig(t testing.TB, src otelbridge.Sources) *rig {
	t.Helper()
	return newRigBehind(t, src, "")
}

// newRigBehind has every name behind a prefix.
func newRigBehind(t testing.TB, src otelbridge.Sources, prefix string) *rig {
	t.Helper()
	r := &rig{
		exporter:  newExporter(t, src, prom.WithNamePrefix(prefix)),
		collector: prometheus.NewPedanticRegistry(),
		bridge:    prometheus.NewPedanticRegistry(),
	}
	must(t, r.collector.Register(r.exporter))
	exporter, err := otelprom.New(otelprom.WithRegisterer(r.bridge), otelprom.WithoutScopeInfo(), otelprom.WithoutTargetInfo())
	must(t, err)
	mp := sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter))
	t.Cleanup(func() { must(t, mp.Shutdown(context.WithoutCancel(t.Context()))) })
	_, err = otelbridge.New(mp, src, otelbridge.WithNamePrefix(prefix))
	must(t, err)
	return r
}

// get asks a handler as a client with such headers would.
func get(t testing.TB, h http.Handler, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("scrape: %d: %s", w.Code, w.Body)
	}
	return w
}

// exposed is what a registry gives out in a format.
func exposed(t testing.TB, g prometheus.Gatherer, format expfmt.Format) string {
	t.Helper()
	families, err := g.Gather()
	must(t, err)
	var text bytes.Buffer
	encoder := expfmt.NewEncoder(&text, format)
	for _, f := range families {
		must(t, encoder.Encode(f))
	}
	must(t, encoder.(expfmt.Closer).Close())
	return text.String()
}

// sampleOf takes a line apart into a series and its value; false for a comment.
func sampleOf(t testing.TB, line string) (series string, value float64, ok bool) {
	t.Helper()
	line = strings.TrimSuffix(line, "\n")
	end := strings.LastIndexByte(line, ' ')
	if end < 0 || strings.HasPrefix(line, "#") {
		return "", 0, false
	}
	value, err := strconv.ParseFloat(line[end+1:], 64)
	must(t, err)
	return line[:end], value, true
}

// canonical writes every value in its shortest form, and leaves out the label of a
// board without a name: what remains means the same exactly if it is the same.
func canonical(t testing.TB, text string) string {
	t.Helper()
	text = strings.NewReplacer(`{board=""}`, ``, `board="",`, ``).Replace(text)
	var shortest strings.Builder
	for line := range strings.Lines(text) {
		if series, value, ok := sampleOf(t, line); ok {
			line = series + " " + strconv.FormatFloat(value, 'g', -1, 64) + "\n"
		}
		shortest.WriteString(line)
	}
	return shortest.String()
}

// samples are values by series, as the text has them.
type samples map[string]float64

// samplesOf reads a text. A series that comes twice fails the test.
func samplesOf(t testing.TB, text string) samples {
	t.Helper()
	s := samples{}
	for line := range strings.Lines(text) {
		series, value, ok := sampleOf(t, line)
		if !ok {
			continue
		}
		if _, twice := s[series]; twice {
			t.Errorf("series %s: twice in one scrape", series)
		}
		s[series] = value
	}
	return s
}

// both scrapes through the handler and through the registry.
func (r *rig) both(t testing.TB) map[string]samples {
	t.Helper()
	return map[string]samples{
		"handler":   samplesOf(t, get(t, r.exporter).Body.String()),
		"collector": samplesOf(t, exposed(t, r.collector, expfmt.FmtText)),
	}
}

// want fails the test unless the series is there with the value.
func (s samples) want(t testing.TB, series string, value float64) {
	t.Helper()
	got, ok := s[series]
	if !ok || got != value {
		t.Errorf("%s = %v (there: %v), want %v", series, got, ok, value)
	}
}

// absent fails the test if any series contains the text.
func (s samples) absent(t testing.TB, text string) {
	t.Helper()
	for series, value := range s {
		if strings.Contains(series, text) {
			t.Errorf("%s = %v: want no series with %q", series, value, text)
		}
	}
}

// count is how many series begin with a name.
func (s samples) count(name string) (n int) {
	for series := range s {
		if strings.HasPrefix(series, name) {
			n++
		}
	}
	return n
}
