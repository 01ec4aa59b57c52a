package rival

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

func TestConstantsTellWhatWasGathered(t *testing.T) {
	source := prometheus.NewRegistry()
	lag := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "lag", Help: "Events behind."}, []string{"processor", "board"})
	faults := prometheus.NewCounter(prometheus.CounterOpts{Name: "faults_total", Help: "Faults."})
	source.MustRegister(lag, faults)
	lag.WithLabelValues("orders", "shop").Set(7)
	lag.WithLabelValues("audit", "shop").Set(0)
	faults.Add(3)
	want, err := source.Gather()
	if err != nil {
		t.Fatal(err)
	}
	constants, err := NewConstants(append(want, &dto.MetricFamily{})) // One that has no series.
	if err != nil || constants.Len() != 3 {
		t.Fatalf("%v with %d series, want 3", err, constants.Len())
	}
	copied := prometheus.NewPedanticRegistry()
	copied.MustRegister(constants)
	got, err := copied.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(texts(want), texts(got)); diff != "" {
		t.Errorf("gathered (-source +copy):\n%s", diff)
	}
}

func TestConstantsRefuseOtherTypes(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewHistogram(prometheus.HistogramOpts{Name: "duration_seconds"}))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewConstants(families); err == nil {
		t.Error("a histogram was taken")
	}
}

// texts are metrics without the time at which a counter began.
func texts(families []*dto.MetricFamily) (all []string) {
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if m.GetCounter() != nil {
				m.Counter.CreatedTimestamp = nil
			}
		}
		all = append(all, f.String())
	}
	return all
}
