package prom_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/prom"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestCase113TwoBoardsOneRegistry: two modules have a processor of one id, and
// only one of the two wedges.
func TestCase113TwoBoardsOneRegistry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		billing, search := board.New(board.WithName("billing")), board.New(board.WithName("search"))
		billing.MustRegister(board.Spec{ID: "orders"}).Beat()
		well := search.MustRegister(board.Spec{ID: "orders"})
		r := newRig(t, monitors(t, search, billing))
		time.Sleep(time.Minute)
		well.Beat()
		for _, s := range r.both(t) {
			s.want(t, `liveness_processor_status{board="billing",processor="orders",status="unhealthy"}`, 1)
			s.want(t, `liveness_processor_reason{board="billing",processor="orders",reason="stale"}`, 1)
			s.want(t, `liveness_processor_status{board="search",processor="orders",status="unhealthy"}`, 0)
			s.want(t, `liveness_processor_status{board="search",processor="orders",status="healthy"}`, 1)
			s.want(t, `liveness_board_processors{board="billing",status="unhealthy"}`, 1)
			s.want(t, `liveness_board_processors{board="search",status="unhealthy"}`, 0)
		}
	})
}

// TestCase114ZeroIsNotNever: not yet, zero and absent are three things. The
// clock of the second run starts at the Unix epoch.
func TestCase114ZeroIsNotNever(t *testing.T) {
	t.Run("real clock", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { testCase114(t, board.New(), nil, time.Sleep) })
	})
	t.Run("clock at zero", func(t *testing.T) {
		c := &epoch{}
		testCase114(t, board.New(board.WithClock(c)), c, func(d time.Duration) { c.now += d })
	})
}

// epoch is a clock that starts at Unix 0.
type epoch struct{ now time.Duration }

func (c *epoch) Now() time.Time { return time.Unix(0, int64(c.now)) }

func testCase114(t *testing.T, b *board.Board, calendar board.Clock, sleep func(time.Duration)) {
	loop := b.MustRegister(board.Spec{ID: "p"})
	e := newExporter(t, monitors(t, b), prom.WithClock(calendar))
	r := &rig{exporter: e, collector: pedantic(t, e)}

	sleep(10 * time.Second)
	for _, s := range r.both(t) {
		for _, never := range []string{"age", "last_heartbeat", "lag{", "position"} {
			s.absent(t, never)
		}
		s.want(t, `liveness_processor_status{processor="p",status="healthy"}`, 1)
		s.want(t, `liveness_processor_reason{processor="p",reason="unreported"}`, 1)
		s.want(t, `liveness_processor_faults_total{processor="p"}`, 0)
		s.want(t, `liveness_processor_starts_total{processor="p"}`, 0)
		s.want(t, `liveness_processor_heartbeats_total{processor="p"}`, 0)
	}

	sleep(2 * time.Second)
	loop.BeatLag(0)
	sleep(time.Second)
	for _, s := range r.both(t) {
		s.want(t, `liveness_processor_heartbeat_age_seconds{processor="p"}`, 1)
		s.want(t, `liveness_processor_lag{processor="p"}`, 0)
		s.want(t, `liveness_board_oldest_age_seconds`, 1)
		s.want(t, `liveness_processor_last_heartbeat_timestamp_seconds{processor="p"}`,
			s["liveness_board_observed_timestamp_seconds"]-1)
	}

	sleep(7 * time.Second)
	loop.Fault(errors.New("gone"))
	sleep(time.Second)
	for _, s := range r.both(t) {
		s.want(t, `liveness_processor_faults_total{processor="p"}`, 1)
		s.want(t, `liveness_processor_reason{processor="p",reason="faulted"}`, 1)
		s.want(t, `liveness_processor_status{processor="p",status="unhealthy"}`, 1)
		s.absent(t, "age")
		s.absent(t, "running")
	}
}

// TestCase115NoSeriesOutlivesItsLoop: a thousand rebuilds come and go, each of
// them scraped, and leave no series and no memory behind.
func TestCase115NoSeriesOutlivesItsLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.New()
		orders := b.MustRegister(board.Spec{ID: "orders"})
		rebuild := b.MustRegister(board.Spec{ID: "orders", Rebuild: "7"})
		m := newMonitor(t, b)
		set := tiers.New()
		must(t, set.AddReady("processors", m))
		r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{m}, Tiers: set})
		orders.Beat()
		rebuild.Beat()
		only := 0
		for _, s := range r.both(t) {
			s.want(t, `liveness_processor_rebuilding{processor="orders::rebuild::7"}`, 1)
			only = s.count("liveness_processor") / 2
		}

		time.Sleep(4 * time.Second)
		rebuild.Close()
		for _, s := range r.both(t) {
			s.absent(t, "rebuild::7")
			s.want(t, `liveness_processor_status{processor="orders",status="healthy"}`, 1)
		}
		orders.Beat()
		if got := set.Evaluate(t.Context(), tiers.Ready).Status; got != check.Healthy {
			t.Errorf("ready is %v after a rebuild ended", got)
		}

		run := func(from, to int) {
			for n := from; n <= to; n++ {
				rebuild := b.MustRegister(board.Spec{ID: "orders", Rebuild: fmt.Sprint(n)})
				rebuild.Beat()
				text := get(t, r.exporter).Body.String()
				if _, err := r.collector.Gather(); err != nil || !strings.Contains(text, fmt.Sprintf("rebuild::%d\"", n)) {
					t.Fatalf("rebuild %d: in the scrape: %v, Gather: %v", n, err == nil, err)
				}
				rebuild.Close()
			}
		}
		run(8, 107)
		before := heap()
		run(108, 1007)
		if grown := heap() - before; grown > 256<<10 {
			t.Errorf("900 rebuilds left %d bytes", grown)
		}
		for _, s := range r.both(t) {
			s.absent(t, "rebuild::")
			if got := s.count("liveness_processor"); got != only {
				t.Errorf("%d series after all rebuilds, want %d", got, only)
			}
		}
	})
}

// heap is what is in use after everything that can be freed was.
func heap() int64 {
	var m runtime.MemStats
	for range 3 { // pools are emptied in two steps
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
