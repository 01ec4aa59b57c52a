package rival

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// facts are what a metrics library shows of some processors: lag and the last
// beat, which must be recent.
type facts struct {
	lags  map[string]int64
	beats map[string]float64
}

func (f facts) check(t *testing.T, since time.Time, want map[string]int64) {
	t.Helper()
	if diff := cmp.Diff(want, f.lags); diff != "" {
		t.Errorf("lags (-want +got):\n%s", diff)
	}
	for id := range want {
		if at := f.beats[id]; at < float64(since.Unix()) || at > unixSeconds() {
			t.Errorf("%s: last beat at %v, want now", id, at)
		}
	}
	if len(f.beats) != len(want) {
		t.Errorf("%d last beats, want %d", len(f.beats), len(want))
	}
}

func TestOTelGaugesKeepTheLastReport(t *testing.T) {
	since, reader := time.Now(), sdkmetric.NewManualReader()
	gauges, err := NewOTelGauges(2, reader)
	if err != nil {
		t.Fatal(err)
	}
	orders, audit := gauges.Reporter("orders"), gauges.Reporter("audit")
	orders.BeatLag(3)
	audit.BeatLag(5)
	orders.BeatLag(7)

	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	got := facts{lags: map[string]int64{}, beats: map[string]float64{}}
	for _, m := range all.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Gauge[int64]:
			for _, p := range data.DataPoints {
				id, _ := p.Attributes.Value(idLabel)
				got.lags[id.AsString()] = p.Value
			}
		case metricdata.Gauge[float64]:
			for _, p := range data.DataPoints {
				id, _ := p.Attributes.Value(idLabel)
				got.beats[id.AsString()] = p.Value
			}
		}
	}
	got.check(t, since, map[string]int64{"orders": 7, "audit": 5})
}

func TestGaugesKeepTheLastReport(t *testing.T) {
	since, registry := time.Now(), prometheus.NewRegistry()
	vecs, err := NewGaugeVecs(registry)
	if err != nil {
		t.Fatal(err)
	}
	vecs.BeatLag("orders", 3)
	vecs.BeatLag("audit", 5)
	vecs.Gauges("orders").BeatLag(7)

	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := facts{lags: map[string]int64{}, beats: map[string]float64{}}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			id, value := m.GetLabel()[0].GetValue(), m.GetGauge().GetValue()
			if f.GetName() == lagName {
				got.lags[id] = int64(value)
			} else {
				got.beats[id] = value
			}
		}
	}
	got.check(t, since, map[string]int64{"orders": 7, "audit": 5})
	if _, err := NewGaugeVecs(registry); err == nil {
		t.Error("the same names were registered twice")
	}
}
