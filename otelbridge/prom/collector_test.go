package prom_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/prom"
	"github.com/loopvitals/loopvitals/tiers"
)

// pedantic is a registry that holds every series to its description.
func pedantic(t testing.TB, collectors ...prometheus.Collector) *prometheus.Registry {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	for _, c := range collectors {
		must(t, r.Register(c))
	}
	return r
}

// TestCollisions: a name that is taken is an error of Register, whoever took it,
// and the registry goes on with what it had.
func TestCollisions(t *testing.T) {
	src := monitors(t, board.New())
	of := func(names ...string) otelbridge.Sources {
		var boards []*board.Board
		for _, name := range names {
			boards = append(boards, board.New(board.WithName(name)))
		}
		return monitors(t, boards...)
	}
	first := newExporter(t, src)
	foreign := prometheus.NewGauge(prometheus.GaugeOpts{Name: "liveness_processor_lag", Help: "Somebody else's."})
	for name, second := range map[string]prometheus.Collector{
		"the same":              first,
		"the same sources":      newExporter(t, src),
		"other sources":         newExporter(t, of("a", "b")),
		"more of them":          newExporter(t, otelbridge.Sources{Monitors: src.Monitors, Tiers: tiers.New()}),
		"tiers alone":           newExporter(t, otelbridge.Sources{Tiers: tiers.New()}), // liveness_export_dropped_series
		"somebody else's gauge": foreign,
	} {
		r := pedantic(t, first)
		err := r.Register(second)
		if err == nil {
			t.Errorf("%s: registered twice", name)
		}
		var already prometheus.AlreadyRegisteredError
		if strings.HasPrefix(name, "the same") && (!errors.As(err, &already) || already.ExistingCollector != prometheus.Collector(first)) {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := r.Gather(); err != nil {
			t.Errorf("%s: Gather: %v", name, err)
		}
	}
	if err := pedantic(t, foreign).Register(first); err == nil {
		t.Error("registered beside somebody else's gauge of one name")
	}
	must(t, pedantic(t, first).Register(newExporter(t, src, prom.WithNamePrefix("second."))))
}

// TestClose: a closed Exporter has no series, can be unregistered, and makes room
// for another.
func TestClose(t *testing.T) {
	b := board.New()
	b.MustRegister(board.Spec{ID: "orders"})
	set := tiers.New()
	e := newExporter(t, otelbridge.Sources{Monitors: monitors(t, b).Monitors, Tiers: set})
	r := pedantic(t, e)
	families, err := r.Gather()
	must(t, err)
	if len(families) == 0 {
		t.Fatal("nothing gathered")
	}
	must(t, e.Close(), e.Close())
	families, err = r.Gather()
	must(t, err)
	if len(families) != 0 {
		t.Errorf("%d families after Close", len(families))
	}
	if !r.Unregister(e) {
		t.Error("a closed Exporter cannot be unregistered")
	}
	must(t, r.Register(newExporter(t, monitors(t, b))))

	for _, none := range []*prom.Exporter{nil, {}} {
		registry := pedantic(t, none)
		families, err := registry.Gather()
		must(t, err, none.Close())
		if len(families) != 0 {
			t.Errorf("%d families of nothing", len(families))
		}
	}
}

// TestBoardsWithAndWithoutName: in one registry all series of a metric have the
// same labels, where an empty one is none, and no label where no board has a
// name.
func TestBoardsWithAndWithoutName(t *testing.T) {
	named, plain := board.New(board.WithName("shop")), board.New()
	named.MustRegister(board.Spec{ID: "orders"}).Beat()
	plain.MustRegister(board.Spec{ID: "orders"}).Fault(nil)

	for name, s := range newRig(t, monitors(t, named, plain)).both(t) {
		label := map[string]string{"handler": "", "collector": `board="",`}[name]
		s.want(t, `liveness_processor_status{board="shop",processor="orders",status="healthy"}`, 1)
		s.want(t, `liveness_processor_status{`+label+`processor="orders",status="unhealthy"}`, 1)
		s.want(t, `liveness_board_processors{`+label+`status="unhealthy"}`, 1)
		s.want(t, `liveness_board_processors{board="shop",status="unhealthy"}`, 0)
	}
	for _, s := range newRig(t, monitors(t, plain)).both(t) {
		s.absent(t, "board=")
		s.want(t, `liveness_processor_faults_total{processor="orders"}`, 1)
	}
}
