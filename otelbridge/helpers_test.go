package otelbridge_test

import (
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
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

func monitors(t testing.TB, boards ...*board.Board) (all []*liveness.Monitor) {
	t.Helper()
	for _, b := range boards {
		all = append(all, newMonitor(t, b))
	}
	return all
}

// watch runs the monitor in a synctest bubble until the returned function is
// called.
func watch(t testing.TB, m *liveness.Monitor) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- m.Run(ctx) }()
	synctest.Wait()
	return func() {
		cancel()
		must(t, <-done)
	}
}

// rig is a bridge with a provider that has two readers, as a program with both
// a push exporter and a scrape has.
type rig struct {
	bridge   *otelbridge.Bridge
	reader   *sdkmetric.ManualReader
	registry *prometheus.Registry
}

func newRig(t testing.TB, src otelbridge.Sources, opts ...otelbridge.Option) *rig {
	t.Helper()
	return newRigOf(t, src, nil, opts...)
}

func newRigOf(t testing.TB, src otelbridge.Sources, provider []sdkmetric.Option, opts ...otelbridge.Option) *rig {
	t.Helper()
	r := &rig{reader: sdkmetric.NewManualReader(), registry: prometheus.NewPedanticRegistry()}
	exporter, err := otelprom.New(otelprom.WithRegisterer(r.registry), otelprom.WithoutScopeInfo(), otelprom.WithoutTargetInfo())
	must(t, err)
	mp := sdkmetric.NewMeterProvider(append(provider, sdkmetric.WithReader(r.reader), sdkmetric.WithReader(exporter))...)
	t.Cleanup(func() { must(t, mp.Shutdown(context.WithoutCancel(t.Context()))) })
	r.bridge, err = otelbridge.New(mp, src, opts...)
	must(t, err)
	return r
}

// samples are values by series, written as name{key=value,…} with sorted keys.
type samples map[string]float64

// collect reads through the SDK. A series that comes twice fails the test. A
// histogram is its count.
func (r *rig) collect(t testing.TB) samples {
	t.Helper()
	s := samples{}
	for _, m := range r.metrics(t) {
		for _, p := range pointsOf(m.Data) {
			s.add(t, m.Name, p.labels, p.value)
		}
	}
	return s
}

func (r *rig) metrics(t testing.TB) []metricdata.Metrics {
	t.Helper()
	var rm metricdata.ResourceMetrics
	must(t, r.reader.Collect(t.Context(), &rm))
	var all []metricdata.Metrics
	for _, scope := range rm.ScopeMetrics {
		all = append(all, scope.Metrics...)
	}
	return all
}

// gather reads what a Prometheus registry gives out.
func (r *rig) gather(t testing.TB) samples {
	t.Helper()
	families, err := r.registry.Gather()
	must(t, err)
	s := samples{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			value := m.GetGauge().GetValue() + m.GetCounter().GetValue()
			value += float64(m.GetHistogram().GetSampleCount())
			s.add(t, f.GetName(), labels, value)
		}
	}
	return s
}

// scrape is what Prometheus reads over HTTP.
func (r *rig) scrape(t testing.TB) string {
	t.Helper()
	response := httptest.NewRecorder()
	promhttp.HandlerFor(r.registry, promhttp.HandlerOpts{}).ServeHTTP(response, httptest.NewRequest("GET", "/metrics", nil))
	if response.Code != 200 {
		t.Fatalf("scrape: %d: %s", response.Code, response.Body)
	}
	return response.Body.String()
}

func (s samples) add(t testing.TB, name string, labels map[string]string, value float64) {
	t.Helper()
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, key+"="+labels[key])
	}
	key := name
	if len(pairs) > 0 {
		key += "{" + strings.Join(pairs, ",") + "}"
	}
	if _, twice := s[key]; twice {
		t.Errorf("series %s: twice in one collection", key)
	}
	s[key] = value
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

// with returns the samples whose series begin with name.
func (s samples) with(name string) samples {
	found := samples{}
	for series, value := range s {
		if strings.HasPrefix(series, name) {
			found[series] = value
		}
	}
	return found
}

// point is one data point of any kind.
type point struct {
	labels map[string]string
	value  float64
}

func pointsOf(data metricdata.Aggregation) []point {
	switch d := data.(type) {
	case metricdata.Sum[int64]:
		return numbers(d.DataPoints)
	case metricdata.Gauge[int64]:
		return numbers(d.DataPoints)
	case metricdata.Gauge[float64]:
		return numbers(d.DataPoints)
	case metricdata.Histogram[float64]:
		var ps []point
		for _, p := range d.DataPoints {
			ps = append(ps, point{labelsOf(p.Attributes), float64(p.Count)})
		}
		return ps
	}
	panic(fmt.Sprintf("a kind that the catalogue does not have: %T", data))
}

func numbers[N int64 | float64](in []metricdata.DataPoint[N]) []point {
	ps := make([]point, 0, len(in))
	for _, p := range in {
		ps = append(ps, point{labelsOf(p.Attributes), float64(p.Value)})
	}
	return ps
}

func labelsOf(set attribute.Set) map[string]string {
	labels := map[string]string{}
	for _, kv := range set.ToSlice() {
		labels[string(kv.Key)] = kv.Value.String()
	}
	return labels
}
