package redundancy

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// TestRunRefuses: a node runs once, and only one that New made.
func TestRunRefuses(t *testing.T) {
	var none *Node
	if err := none.Run(t.Context()); !errors.Is(err, errNoNode) {
		t.Errorf("nil: %v", err)
	}
	if err := new(Node).Run(t.Context()); !errors.Is(err, errNoNode) {
		t.Errorf("zero: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.node(nodeA)
		var none context.Context
		if err := a.Run(none); !errors.Is(err, errNoContext) {
			t.Errorf("no context: %v", err)
		}
		w.run(a)
		synctest.Wait()
		if err := a.Run(t.Context()); !errors.Is(err, errRanBefore) {
			t.Errorf("a second time: %v", err)
		}
		a.stop()
		synctest.Wait()
		if err := a.Run(t.Context()); !errors.Is(err, errRanBefore) {
			t.Errorf("after its end: %v", err)
		}
	})
}

// TestDownAtBothEnds: the first level that is shown is 0, and so is the last, for good,
// although the cluster still has the node as its primary.
func TestDownAtBothEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.node(nodeA)
		w.up(nodeA)
		if got := a.ServiceLevel(); got != 0 || a.State().LevelKnown {
			t.Errorf("before Run: %d, known %v", got, a.State().LevelKnown)
		}
		w.run(a)
		w.sleep(time.Second)
		w.wantLevel("running", a, 250)
		a.stop()
		synctest.Wait()
		wantTold(t, "in all", a.screen, 200, 250, 0)
		w.sleep(time.Minute)
		w.mesh.inject(mustEncode(t, w.last()))
		w.wantLevel("a minute later", a, 0)
		if !a.State().LevelKnown || a.State().Level != 0 {
			t.Errorf("state: %+v", a.State())
		}
	})
}

// TestTheLastLevelArrives: Run waits for a Publisher that takes its time over the last
// level.
func TestTheLastLevelArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.node(nodeA)
		var shown atomic.Int64
		a.screen.do = func(level uint8) error {
			time.Sleep(300 * time.Millisecond)
			shown.Store(int64(level))
			return nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { a.done <- a.Run(ctx) }()
		w.up(nodeA)
		w.sleep(5 * time.Second)
		cancel()
		if err := <-a.done; err != nil || shown.Load() != 0 {
			t.Errorf("Run returned %v, and %d is shown", err, shown.Load())
		}
		if level, changed := a.levels.reach(tierActive); level != 0 || changed {
			t.Errorf("after its end it reaches %d", level)
		}
	})
}

// TestHealthTick: what time alone makes stale is seen within one tick, also when the
// cluster and the bus are silent (S4.8).
func TestHealthTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.start(nodeA)
		synctest.Wait()
		say := builtElsewhere(w, false)
		synctest.Wait()
		a.script.Confirm(time.Hour)
		say(time.Now(), map[string]Role{nodeA: Primary, nodeC: Detached})
		time.Sleep(30 * time.Second)
		wantTold(t, "30 s old", a.screen, 0, 200, 250)
		time.Sleep(5 * time.Second)
		wantTold(t, "and older", a.screen, 0, 200, 250, 200)
	})
}

// TestLateBind is S4.22: whoever is bound later is told the present level at once.
func TestLateBind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.start(nodeA)
		synctest.Wait()
		late := &screen{}
		a.Bind(late)
		wantTold(t, "at 0", late, 0)
		w.up(nodeA)
		w.sleep(time.Second)
		later := &screen{}
		a.Bind(later)
		wantTold(t, "at 250", later, 250)
		a.stop()
		synctest.Wait()
		latest := &screen{}
		a.Bind(latest)
		wantTold(t, "after its end", latest, 0)
	})
}

// TestEndsWithinASecond: Run returns although everything that it calls blocks for ever,
// and what it leaves behind is that.
func TestEndsWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, goOn := newWorld(t), make(chan struct{})
		bus := &badBus{
			publish:   func(context.Context, string) error { <-goOn; return errors.New("late") },
			subscribe: func(context.Context) error { <-goOn; return errors.New("late") },
		}
		a := w.node(nodeA, overBus(bus), func(c *Config) {
			c.Database = func(context.Context) error { <-goOn; return nil }
			c.Prober = func(context.Context, cluster.Member) error { <-goOn; return nil }
		})
		a.screen.do = func(uint8) error { <-goOn; return nil }
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { a.done <- a.Run(ctx) }()
		w.up(nodeA, nodeB, nodeC)
		w.sleep(time.Minute)
		if got := ignoredBy(a.Node, IgnoredFailure); got == 0 {
			t.Error("nothing was counted")
		}
		began := time.Now()
		cancel()
		if err := <-a.done; err != nil {
			t.Errorf("run: %v", err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
		synctest.Wait()
		// Two publishes, the subscription, the query, two probes and the publisher.
		if left := goroutines(before+7) - before; left > 7 {
			t.Errorf("%d goroutines are left, want what blocks", left)
		}
		close(goOn)
		synctest.Wait()
		if left := goroutines(before) - before; left > 0 {
			t.Errorf("%d goroutines are left at last", left)
		}
	})
}

// stuckSource blocks, panics or ends the goroutine of whoever asks, once it is told.
type stuckSource struct {
	*clustertest.Script
	do atomic.Pointer[func()]
}

func (s *stuckSource) View() *cluster.View {
	if do := s.do.Load(); do != nil {
		(*do)()
	}
	return s.Script.View()
}

func (s *stuckSource) Changed() <-chan struct{} {
	if do := s.do.Load(); do != nil {
		(*do)()
	}
	return s.Script.Changed()
}

// TestSourceFails: with a source that panics the node is down and denies, until it does
// not; one that ends a goroutine ends Run with an error, and one that blocks does not
// keep it from its end.
func TestSourceFails(t *testing.T) {
	begin := func(t *testing.T) (*world, *actor, *stuckSource, context.CancelFunc) {
		w := newWorld(t)
		src := &stuckSource{}
		a := w.node(nodeA, func(c *Config) {
			src.Script = c.Source.(*clustertest.Script)
			c.Source = src
		})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { a.done <- a.Run(ctx) }()
		w.up(nodeA)
		w.sleep(time.Second)
		w.wantLevel("well", a, 250)
		return w, a, src, cancel
	}
	t.Run("panics", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, a, src, cancel := begin(t)
			do := func() { panic("source") }
			src.do.Store(&do)
			w.sleep(5 * time.Second)
			if got := a.ServiceLevel(); got != 0 {
				t.Errorf("level %d", got)
			}
			if err := a.Site(SiteWrite).Allow(); err == nil {
				t.Error("serves")
			}
			src.do.Store(nil)
			w.sleep(15 * time.Second)
			w.wantLevel("well again", a, 250)
			cancel()
			if err := <-a.done; err != nil {
				t.Errorf("run: %v", err)
			}
		})
	})
	t.Run("ends the goroutine", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, a, src, cancel := begin(t)
			defer cancel()
			do := runtime.Goexit
			src.do.Store(&do)
			w.tell()
			if err := <-a.done; !errors.Is(err, errBroken) {
				t.Errorf("run: %v", err)
			}
			src.do.Store(nil)
			w.wantLevel("after that", a, 0)
		})
	})
	t.Run("blocks", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, a, src, cancel := begin(t)
			goOn := make(chan struct{})
			do := func() { <-goOn }
			src.do.Store(&do)
			w.tell()
			synctest.Wait()
			began := time.Now()
			cancel()
			if err := <-a.done; err != nil || time.Since(began) > time.Second {
				t.Errorf("run: %v after %v", err, time.Since(began))
			}
			close(goOn)
		})
	})
	t.Run("has a channel that is always closed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			src := &alwaysNew{}
			a := w.start(nodeA, func(c *Config) {
				src.Script = c.Source.(*clustertest.Script)
				c.Source = src
			})
			w.up(nodeA)
			w.sleep(time.Second)
			w.wantLevel("nevertheless", a, 250)
			if got := src.asked.Load(); got > 2000 {
				t.Errorf("asked %d times in a second", got)
			}
		})
	})
}

// alwaysNew always says that there is something new.
type alwaysNew struct {
	*clustertest.Script
	asked atomic.Int64
}

func (s *alwaysNew) Changed() <-chan struct{} {
	s.asked.Add(1)
	c := make(chan struct{})
	close(c)
	return c
}

// badClock panics once it is told.
type badClock struct{ bad atomic.Bool }

func (c *badClock) Now() cluster.Instant {
	if c.bad.Load() {
		panic("clock")
	}
	return clustertest.Clock{}.Now()
}

// TestClockFails: without a time there is no age, and without an age the node is down.
// The gate needs no age.
func TestClockFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, clock := newWorld(t), &badClock{}
		a := w.node(nodeA, func(c *Config) { c.Database = func(context.Context) error { return nil } })
		WithClock(clock).apply(a.Node)
		w.run(a)
		w.up(nodeA)
		w.sleep(time.Second)
		w.wantLevel("well", a, 250)
		clock.bad.Store(true)
		w.sleep(10 * time.Second)
		w.wantLevel("without a clock", a, 0)
		if err := a.Site(SiteWrite).Allow(); err != nil {
			t.Errorf("the gate: %v", err)
		}
		if a.State().SnapshotKnown {
			t.Error("an age is shown")
		}
		clock.bad.Store(false)
		w.sleep(10 * time.Second)
		w.wantLevel("well again", a, 250)
	})
}

// TestLogs: a handler that panics harms nobody, and what failed for a reason is told
// once for each reason.
func TestLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(t), &store{}
		s.then(func(context.Context) error { return errors.New("no route") })
		a := w.start(nodeA, asking(s))
		w.up(nodeA)
		w.sleep(time.Minute)
		if got := a.log.count("to ask the database failed err=no route"); got != 1 {
			t.Errorf("%d warnings of one reason, want 1: %s", got, strings.Join(a.log.warnings, "\n"))
		}
		s.then(nil)
		w.sleep(10 * time.Second)
		s.then(func(context.Context) error { return errors.New("no route") })
		w.sleep(time.Minute)
		if got := a.log.count("to ask the database failed err=no route"); got != 2 {
			t.Errorf("%d warnings of two outages, want 2", got)
		}
	})
}
