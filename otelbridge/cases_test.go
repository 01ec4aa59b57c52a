package otelbridge_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestCase113TwoBoardsOneRegistry: two modules have a processor of one id, and
// only one of the two wedges.
func TestCase113TwoBoardsOneRegistry(t *testing.T) {
	wedges := map[string]struct {
		wedge  func(*board.Reporter)
		reason string
	}{
		"silence":      {func(*board.Reporter) {}, "stale"},
		"stuck unit":   {(*board.Reporter).Busy, "stuck"},
		"fault":        {func(r *board.Reporter) { r.Fault(errors.New("gone")) }, "faulted"},
		"stuck worker": {func(r *board.Reporter) { w, _ := r.Worker("1"); w.Busy() }, "stuck"},
	}
	for name, c := range wedges {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				billing, search := board.New(board.WithName("billing")), board.New(board.WithName("search"))
				unnamed := board.New()
				wedged := billing.MustRegister(board.Spec{ID: "orders"})
				well := []*board.Reporter{
					search.MustRegister(board.Spec{ID: "orders"}),
					unnamed.MustRegister(board.Spec{ID: "orders"}),
				}
				r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{
					newMonitor(t, billing), newMonitor(t, search), newMonitor(t, unnamed),
				}})
				wedged.Beat()
				c.wedge(wedged)
				time.Sleep(time.Minute)
				for _, r := range well {
					r.Beat()
				}

				s := r.collect(t)
				s.want(t, "liveness.processor.status{board=billing,processor=orders,status=unhealthy}", 1)
				s.want(t, "liveness.processor.reason{board=billing,processor=orders,reason="+c.reason+"}", 1)
				s.want(t, "liveness.processor.status{board=search,processor=orders,status=unhealthy}", 0)
				s.want(t, "liveness.processor.status{board=search,processor=orders,status=healthy}", 1)
				s.want(t, "liveness.processor.status{processor=orders,status=healthy}", 1)
				s.want(t, "liveness.board.processors{board=billing,status=unhealthy}", 1)
				s.want(t, "liveness.board.processors{board=search,status=unhealthy}", 0)
				s.want(t, "liveness.board.processors{status=unhealthy}", 0)

				p := r.gather(t)
				p.want(t, "liveness_processor_status{board=billing,processor=orders,status=unhealthy}", 1)
				p.want(t, "liveness_processor_status{board=search,processor=orders,status=unhealthy}", 0)
			})
		})
	}
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
	r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{newMonitor(t, b)}}, otelbridge.WithClock(calendar))

	sleep(10 * time.Second)
	for _, s := range []samples{r.collect(t), r.gather(t)} {
		s.absent(t, "heartbeat.age{")
		s.absent(t, "heartbeat_age_seconds{")
		s.absent(t, "last_heartbeat")
		s.absent(t, "oldest")
		s.absent(t, "busy")
		s.absent(t, "lag{")
		s.absent(t, "position")
	}
	s := r.collect(t)
	s.want(t, "liveness.processor.status{processor=p,status=healthy}", 1)
	s.want(t, "liveness.processor.reason{processor=p,reason=unreported}", 1)
	s.want(t, "liveness.processor.faults{processor=p}", 0)
	s.want(t, "liveness.processor.starts{processor=p}", 0)
	s.want(t, "liveness.processor.heartbeats{processor=p}", 0)
	s.want(t, "liveness.processor.staleness_threshold{processor=p}", 5)

	sleep(2 * time.Second)
	loop.BeatLag(0)
	sleep(time.Second)
	s = r.collect(t)
	s.want(t, "liveness.processor.heartbeat.age{processor=p}", 1)
	s.want(t, "liveness.processor.lag{processor=p}", 0)
	s.want(t, "liveness.board.oldest_age", 1)
	seen := s["liveness.board.observed_timestamp"]
	s.want(t, "liveness.processor.last_heartbeat_timestamp{processor=p}", seen-1)
	r.gather(t).want(t, "liveness_processor_heartbeat_age_seconds{processor=p}", 1)

	sleep(7 * time.Second)
	loop.Fault(errors.New("gone"))
	sleep(time.Second)
	s = r.collect(t)
	s.want(t, "liveness.processor.faults{processor=p}", 1)
	s.want(t, "liveness.processor.reason{processor=p,reason=faulted}", 1)
	s.want(t, "liveness.processor.status{processor=p,status=unhealthy}", 1)
	s.want(t, "liveness.processor.status{processor=p,status=healthy}", 0)
	s.want(t, "liveness.processor.starts{processor=p}", 1)
	s.absent(t, "heartbeat.age{")
	s.absent(t, "reason=running")
}

// TestCase115NoSeriesOutlivesItsLoop: rebuilds come and go, in every way in
// which one can go, and leave nothing behind.
func TestCase115NoSeriesOutlivesItsLoop(t *testing.T) {
	ends := map[string]func(*board.Board, *board.Reporter){
		"close":                func(_ *board.Board, r *board.Reporter) { r.Close() },
		"stop, then close":     func(_ *board.Board, r *board.Reporter) { r.Stop(); r.Close() },
		"remove":               func(b *board.Board, r *board.Reporter) { b.Remove(r.Key()) },
		"fault, close, remove": func(b *board.Board, r *board.Reporter) { r.Fault(errors.New("x")); r.Close(); b.Remove(r.Key()) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testCase115(t, end) })
		})
	}
}

func testCase115(t *testing.T, end func(*board.Board, *board.Reporter)) {
	b := board.New()
	orders := b.MustRegister(board.Spec{ID: "orders"})
	rebuild := b.MustRegister(board.Spec{ID: "orders", Rebuild: "7"})
	m := newMonitor(t, b)
	set := tiers.New()
	must(t, set.AddReady("processors", m))
	r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{m}, Tiers: set})
	beat := func() {
		orders.Beat()
		rebuild.Beat()
	}
	beat()
	r.collect(t).want(t, "liveness.processor.rebuilding{processor=orders::rebuild::7}", 1)
	only := len(r.gather(t).with("liveness_processor"))
	if only%2 != 0 {
		t.Fatalf("%d series for two processors", only)
	}
	only /= 2

	time.Sleep(4 * time.Second)
	end(b, rebuild)
	for _, s := range []samples{r.collect(t), r.gather(t)} {
		s.absent(t, "rebuild::7")
	}
	r.collect(t).want(t, "liveness.processor.status{processor=orders,status=healthy}", 1)
	orders.Beat()
	if got := set.Evaluate(t.Context(), tiers.Ready).Status; got != check.Healthy {
		t.Errorf("ready is %v after a rebuild ended", got)
	}

	for n := 8; n <= 200; n++ {
		rebuild := b.MustRegister(board.Spec{ID: "orders", Rebuild: fmt.Sprint(n)})
		rebuild.Beat()
		if n%50 == 0 {
			r.collect(t).want(t, fmt.Sprintf("liveness.processor.heartbeats{processor=orders::rebuild::%d}", n), 1)
		}
		end(b, rebuild)
	}
	for _, s := range []samples{r.collect(t).with("liveness.processor"), r.gather(t).with("liveness_processor")} {
		s.absent(t, "rebuild::")
		if len(s) != only {
			t.Errorf("%d series after all rebuilds, want %d: %v", len(s), only, s)
		}
	}
}
