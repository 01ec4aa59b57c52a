package cluster_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// enter lets lasting work in, inside of a synctest bubble.
func enter(t *testing.T, src cluster.Source) (ctx context.Context, release func()) {
	t.Helper()
	ctx, release, err := newGate(t, src).Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return ctx, release
}

// endsIn wants the work to end after d and not a nanosecond earlier.
func endsIn(t *testing.T, ctx context.Context, d time.Duration) {
	t.Helper()
	time.Sleep(d - 1)
	synctest.Wait()
	if ended(ctx) {
		t.Errorf("the work ended before %v: %v", d, context.Cause(ctx))
	}
	time.Sleep(time.Nanosecond)
	synctest.Wait()
	if !ended(ctx) || !errors.Is(context.Cause(ctx), cluster.ErrNotActive) {
		t.Errorf("after %v: %v, cause %v", d, ctx.Err(), context.Cause(ctx))
	}
}

func TestEnterEndsAtTheFence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, release := enter(t, activeScript(a, 10*time.Second))
		defer release()
		if _, ok := ctx.Deadline(); ok {
			t.Error("lasting work has a deadline")
		}
		endsIn(t, ctx, 10*time.Second)
	})
}

// TestEnterEndsAtAFractionalFence: the last look is at the fence, and not at the
// next whole second.
func TestEnterEndsAtAFractionalFence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, release := enter(t, activeScript(a, 2500*time.Millisecond))
		defer release()
		endsIn(t, ctx, 2500*time.Millisecond)
	})
}

func TestEnterFollowsTheTenure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := activeScript(a, 10*time.Second)
		ctx, release := enter(t, src)
		defer release()
		for range 100 {
			time.Sleep(5 * time.Second)
			src.Confirm(10 * time.Second)
		}
		endsIn(t, ctx, 10*time.Second)
	})
}

// TestEnterOutlastsTheStartOfALeave: the node waits for this work, so it is not cut
// before the fence; and a heartbeat of the leaving node does not prolong it.
func TestEnterOutlastsTheStartOfALeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := activeScript(a, 10*time.Second)
		ctx, release := enter(t, src)
		defer release()
		time.Sleep(4 * time.Second)
		src.SetStatus(a, cluster.Leaving)
		src.Confirm(time.Minute)
		endsIn(t, ctx, 6*time.Second)
	})
}

// TestEnterBelongsToOneTenure: a node that lost its place and became the active one
// again has another token, and work of the first must not go on under it.
func TestEnterBelongsToOneTenure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := activeScript(a, 10*time.Second)
		ctx, release := enter(t, src)
		defer release()
		time.Sleep(2 * time.Second)
		src.Join(a)
		src.Up(a)
		src.Confirm(time.Minute)
		if !newGate(t, src).IsActive() {
			t.Fatal("the second life is not active")
		}
		endsIn(t, ctx, 8*time.Second)
	})
}

// TestEnterAfterASleepOfTheHost: timers stand still during a sleep, the clock of
// fences does not.
func TestEnterAfterASleepOfTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := activeScript(a, time.Minute)
		ctx, release := enter(t, src)
		defer release()
		time.Sleep(2500 * time.Millisecond) // it has looked before
		src.Advance(time.Hour)
		time.Sleep(time.Second)
		synctest.Wait()
		if !ended(ctx) {
			t.Error("the work goes on a second after the host woke")
		}
	})
}

// breaking is a source that fails from when the test says so.
type breaking struct {
	*clustertest.Script
	broken atomic.Bool
	fail   func()
}

func (s *breaking) View() *cluster.View {
	if s.broken.Load() {
		s.fail()
	}
	return s.Script.View()
}

// TestEnterEndsWhenTheSourceBreaks: a source that does not return says nothing, so
// nobody knows how long the fence is.
func TestEnterEndsWhenTheSourceBreaks(t *testing.T) {
	for name, fail := range map[string]func(){
		"panics":             func() { panic("view") },
		"ends the goroutine": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &breaking{Script: activeScript(a, time.Hour), fail: fail}
				ctx, release := enter(t, src)
				defer release()
				src.broken.Store(true)
				time.Sleep(time.Second)
				synctest.Wait()
				if !ended(ctx) || !errors.Is(context.Cause(ctx), cluster.ErrNotActive) {
					t.Errorf("a second later: %v, cause %v", ctx.Err(), context.Cause(ctx))
				}
			})
		})
	}
}

// TestEnterBeforeAFrozenClock: a clock that stands still just before the fence must
// not make the timer spin.
func TestEnterBeforeAFrozenClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := clustertest.NewScript(a)
		src.Join(a)
		src.Up(a)
		src.Confirm(1)
		ctx, release := enter(t, src)
		defer release()
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if !ended(ctx) {
			t.Error("the work still waits for a clock that stands still")
		}
	})
}

// asked counts how often it is asked for its view.
type asked struct {
	*clustertest.Script
	times atomic.Int64
}

func (s *asked) View() *cluster.View {
	s.times.Add(1)
	return s.Script.View()
}

func TestReleaseEndsTheWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &asked{Script: activeScript(a, time.Hour)}
		ctx, release := enter(t, src)
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		if n := src.times.Load(); n != 2 {
			t.Errorf("asked %d times, want 2: at the beginning and after a second", n)
		}
		release()
		if !errors.Is(context.Cause(ctx), context.Canceled) {
			t.Errorf("cause after release: %v", context.Cause(ctx))
		}
		if n := src.Working(); n != 0 {
			t.Errorf("%d counted after release", n)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := src.times.Load(); n != 2 {
			t.Errorf("asked %d times, also after release", n)
		}
	})
}

// slow answers when the test says so.
type slow struct {
	*clustertest.Script
	answer chan struct{}
}

func (s *slow) View() *cluster.View {
	<-s.answer
	return s.Script.View()
}

// TestReleaseDuringALook: the work may be done while its fence is asked for.
func TestReleaseDuringALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &slow{Script: activeScript(a, time.Hour), answer: make(chan struct{}, 1)}
		src.answer <- struct{}{}
		ctx, release := enter(t, src)
		time.Sleep(time.Second)
		synctest.Wait() // it looks
		release()
		src.answer <- struct{}{}
		synctest.Wait()
		if !errors.Is(context.Cause(ctx), context.Canceled) || src.Working() != 0 {
			t.Errorf("cause %v, counted %d", context.Cause(ctx), src.Working())
		}
	})
}

// TestEnterEndsWithItsCaller: a request that its client gave up ends its work.
func TestEnterEndsWithItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caller, leave := context.WithCancel(t.Context())
		ctx, release, err := newGate(t, activeScript(a, time.Hour)).Enter(caller)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		leave()
		synctest.Wait()
		if !ended(ctx) {
			t.Error("the work outlasts its caller")
		}
	})
}
