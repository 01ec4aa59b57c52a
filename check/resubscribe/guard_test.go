package resubscribe

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestNilAndZeroGuard refuse everything.
func TestNilAndZeroGuard(t *testing.T) {
	for name, g := range map[string]*Guard{"nil": nil, "zero": {}} {
		t.Run(name, func(t *testing.T) {
			if a, wait, ok := g.Begin(); ok || wait != Never || a != (Attempt{}) {
				t.Errorf("Begin = %v, %v, %v, want a refusal for ever", a, wait, ok)
			}
			if g.Succeed(0) || g.Fail(0, errRefused) || g.Succeed(1) {
				t.Error("an answer was taken")
			}
			g.Restore()
			g.Resubscribe()
			g.Stop()
			if got := g.State(); got != (State{}) {
				t.Errorf("State = %+v, want none", got)
			}
			if got := g.Key(); got != "" {
				t.Errorf("Key = %q, want none", got)
			}
			if err := g.Run(t.Context(), func(context.Context, Attempt) error { return nil }); !errors.Is(err, errNotMade) {
				t.Errorf("Run = %v, want that it is not made", err)
			}
			if r := g.Check(t.Context()); r.Status.String() != "Unhealthy" || r.Err == nil {
				t.Errorf("Check = %+v, want Unhealthy with a cause", r)
			}
		})
	}
}

// TestOneRequestPerCeiling asks a hundred times a second, by several, and nobody
// answers (S3.2, S3.3).
func TestOneRequestPerCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, r := newGuard(t, Config{}), newTrace()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for time.Since(r.start) < 3*time.Minute-10*time.Millisecond {
					if a, _, ok := g.Begin(); ok {
						r.note(a)
					}
					time.Sleep(10 * time.Millisecond)
				}
			})
		}
		all.Wait()
		r.wantTimes(t, 0, 45, 90, 135)
	})
}

// TestWatchdog wants the wait of an attempt in flight to be the smaller of its delay and
// the time left under the ceiling (X22), and each look to change nothing.
func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Config{})
		for range 4 { // until the delay is 60 s, above the ceiling
			a, _, ok := g.Begin()
			if !ok || !g.Fail(a.ID, errRefused) {
				t.Fatal("an attempt that fails at once")
			}
			time.Sleep(g.State().NextIn)
		}
		if _, wait, ok := g.Begin(); !ok || wait != 45*time.Second {
			t.Fatalf("wait %v, %v, want 45 s with a delay of %v", wait, ok, g.State().Backoff)
		}
		time.Sleep(45*time.Second - 1)
		if _, wait, ok := g.Begin(); ok || wait != 1 {
			t.Errorf("a step before the ceiling: %v, %v, want a wait of 1ns", wait, ok)
		}
		if s := g.State(); s.PresumedLost != 0 || s.OldestAge != 45*time.Second-1 || !s.InFlight {
			t.Errorf("a step before the ceiling: %+v, want it in flight", s)
		}
		time.Sleep(time.Nanosecond)
		if _, _, ok := g.Begin(); !ok || g.State().PresumedLost != 1 {
			t.Errorf("at the ceiling: %v, want the next", ok)
		}

		g = newGuard(t, Config{})
		g.Begin()
		for at, want := range []int{5, 5, 5, 5, 5, 5, 5, 5, 5} { // 5 s each up to 45
			_, wait, ok := g.Begin()
			if ok || wait != time.Duration(want)*time.Second || g.State().Backoff != 5*time.Second {
				t.Errorf("watchdog %d: %v, %v, want %d s and no climb", at, wait, ok, want)
			}
			time.Sleep(wait)
		}
		if a, wait, ok := g.Begin(); !ok || a.ID != 2 || wait != 10*time.Second {
			t.Errorf("after nine watchdogs: %v, %v, %v, want attempt 2 with a delay of 10 s", a, wait, ok)
		}
	})
}

// TestStaleAnswers have no effect at all: not on the timer, the flag or the back-off of
// the newer attempt (S3.9).
func TestStaleAnswers(t *testing.T) {
	supersede := map[string]func(g *Guard){
		"presumed lost": func(*Guard) { time.Sleep(45 * time.Second) },
		"restored":      func(g *Guard) { time.Sleep(5 * time.Second); g.Restore() },
		"failed":        func(g *Guard) { g.Fail(1, errRefused); time.Sleep(5 * time.Second) },
		"succeeded":     func(g *Guard) { g.Succeed(1); time.Sleep(5 * time.Second); g.Resubscribe() },
	}
	for name, end := range supersede {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGuard(t, Config{})
				g.Begin()
				end(g)
				second, _, ok := g.Begin()
				if !ok {
					t.Fatal("no second attempt")
				}
				time.Sleep(2 * time.Second)
				before := books(g)
				for _, id := range []uint64{0, 1, 3, 1 << 60} {
					if g.Succeed(id) || g.Fail(id, errRefused) {
						t.Errorf("an answer to %d was taken while %d is in flight", id, second.ID)
					}
				}
				if books(g) != before {
					t.Errorf("stale answers changed %+v to %+v", before, books(g))
				}
				if !g.Succeed(second.ID) || g.Succeed(second.ID) || g.Fail(second.ID, nil) {
					t.Error("the answer in time must be taken once")
				}
			})
		})
	}
}

// TestAnswerPastTheCeiling counts while nobody has looked since: it did come. A failure
// there is a loss, as when the look had been first.
func TestAnswerPastTheCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Config{})
		a, _, _ := g.Begin()
		time.Sleep(46 * time.Second)
		if !g.Succeed(a.ID) || g.State().PresumedLost != 0 {
			t.Errorf("a late success: %+v, want it taken", g.State())
		}

		g = newGuard(t, Config{})
		a, _, _ = g.Begin()
		time.Sleep(45*time.Second - 1)
		if !g.Fail(a.ID, errRefused) || g.State().NextIn != 5*time.Second {
			t.Errorf("a failure a step before the ceiling: %+v, want the back-off", g.State())
		}

		g = newGuard(t, Config{})
		a, _, _ = g.Begin()
		time.Sleep(45 * time.Second)
		if s := g.State(); g.Fail(a.ID, errRefused) || g.State().PresumedLost != 1 || g.State().NextIn != 0 {
			t.Errorf("a failure at the ceiling: %+v then %+v, want a loss", s, g.State())
		}
		if _, _, ok := g.Begin(); !ok {
			t.Error("a failure at the ceiling: want the next at once")
		}
	})
}

// TestSuccessResets the back-off, and cancels the timer: a tick that was armed before
// sends nothing (S3.5, X28).
func TestSuccessResets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Config{})
		for range 3 {
			a, _, _ := g.Begin()
			g.Fail(a.ID, errRefused)
			time.Sleep(g.State().NextIn)
		}
		a, _, _ := g.Begin()
		armed := g.arm()
		if s := g.State(); s.Backoff != 40*time.Second {
			t.Fatalf("after three failures: %+v, want a delay of 40 s", s)
		}
		if !g.Succeed(a.ID) {
			t.Fatal("the success was not taken")
		}
		if s := g.State(); s.Backoff != 5*time.Second || s.InFlight || s.NextKnown {
			t.Errorf("after the success: %+v, want the floor and nothing to come", s)
		}
		time.Sleep(time.Hour)
		if _, ok := g.fire(armed, true); ok {
			t.Error("a tick from before the success began an attempt")
		}
		if _, wait, ok := g.Begin(); ok || wait != Never {
			t.Errorf("Begin after a success = %v, %v, want never", wait, ok)
		}
		g.Resubscribe()
		if _, ok := g.fire(armed, true); ok {
			t.Error("a tick of an older generation began an attempt")
		}
		if _, wait, ok := g.Begin(); !ok || wait != 5*time.Second {
			t.Errorf("Begin when it is to be anew = %v, %v, want an attempt with the floor", wait, ok)
		}
	})
}

// TestSuccessRacesTick lets a success and a tick meet at the same instant, a thousand
// times: there is a second attempt or there is not, and what was first stays so.
func TestSuccessRacesTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 1000 {
			g := newGuard(t, Config{})
			a, _, _ := g.Begin()
			time.Sleep(45 * time.Second)
			var began, taken bool
			var both sync.WaitGroup
			both.Go(func() { _, _, began = g.Begin() })
			both.Go(func() { taken = g.Succeed(a.ID) })
			both.Wait()
			s := g.State()
			if began == taken || s.InFlight != began || s.Sends == 2 != began || s.PresumedLost == 1 != began {
				t.Fatalf("began %v, success taken %v: %+v", began, taken, s)
			}
		}
	})
}

// TestRestore brings the back-off to the floor and sends at once, and supersedes what is
// in flight (S3.10, X23).
func TestRestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Config{})
		for range 5 {
			a, _, _ := g.Begin()
			g.Fail(a.ID, errRefused)
			time.Sleep(g.State().NextIn)
		}
		old, _, _ := g.Begin()
		time.Sleep(5 * time.Second)
		g.Restore()
		if s := g.State(); s.InFlight || s.Epoch != 2 || s.Backoff != 5*time.Second || s.NextIn != 0 || s.PresumedLost != 0 {
			t.Errorf("restored: %+v, want epoch 2, the floor, and the next at once", s)
		}
		if g.Succeed(old.ID) || g.Fail(old.ID, nil) {
			t.Error("an answer of the old connection was taken")
		}
		a, wait, ok := g.Begin()
		if !ok || a.Epoch != 2 || wait != 5*time.Second {
			t.Fatalf("Begin = %+v, %v, %v, want an attempt of epoch 2 at the floor", a, wait, ok)
		}
		time.Sleep(time.Second)
		g.Restore()
		if _, wait, ok := g.Begin(); ok || wait != 4*time.Second {
			t.Errorf("a restore a second later: %v, %v, want 4 s to the floor", wait, ok)
		}
		time.Sleep(4 * time.Second)
		if a, _, ok := g.Begin(); !ok || a.Epoch != 3 {
			t.Errorf("a floor later: %+v, %v, want an attempt of epoch 3", a, ok)
		}
	})
}

// TestFlapping restores the connection five times a second for ten minutes, whatever
// becomes of the attempts: never two sends closer than the floor, and none later. It
// does so between the sends, and then at the same instants, where an attempt may be
// superseded before its call was made, which is then not made.
func TestFlapping(t *testing.T) {
	for name, answer := range map[string]error{"answered": nil, "failed": errRefused, "unanswered": ErrPending} {
		for when, offset := range map[string]time.Duration{"between": 100 * time.Millisecond, "at the same instant": 0} {
			t.Run(name+" "+when, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g, r := newGuard(t, Config{}), newTrace()
					stop := run(t, g, func(_ context.Context, a Attempt) error {
						r.note(a)
						return answer
					})
					time.Sleep(offset)
					for range 5*600 - 1 {
						time.Sleep(200 * time.Millisecond)
						g.Restore()
					}
					stop()
					r.wantSpaced(t, 5*time.Second)
					if got := g.State().Sends; got != 600/5 {
						t.Errorf("%d sends in 10 min, want one for each floor", got)
					}
					if offset > 0 && len(r.times()) != 600/5 {
						t.Errorf("%d calls in 10 min, want one for each floor", len(r.times()))
					}
				})
			})
		}
	}
}

// TestResubscribe: at once when all is subscribed, after the attempt in flight when that
// succeeds, never closer than the floor, and no way around the back-off.
func TestResubscribe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, r := newGuard(t, Config{}), newTrace()
		var fails atomic.Bool
		stop := run(t, g, func(_ context.Context, a Attempt) error {
			r.note(a)
			time.Sleep(time.Second)
			if fails.Load() {
				return errRefused
			}
			return nil
		})
		time.Sleep(500 * time.Millisecond)
		g.Resubscribe() // at 0.5 s, in flight
		g.Resubscribe()
		time.Sleep(99*time.Second + 500*time.Millisecond)
		g.Resubscribe() // at 100 s
		time.Sleep(2 * time.Second)
		g.Resubscribe() // at 102 s
		time.Sleep(98 * time.Second)
		fails.Store(true)
		for range 41 * 5 { // from 200 s on, all the time
			g.Resubscribe()
			time.Sleep(200 * time.Millisecond)
		}
		stop()
		r.wantTimes(t, 0, 5, 100, 105, 200, 206, 217, 238)
	})
}

// TestStop: nothing begins after it, nothing is taken, and Run ends (S3.11).
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, r := newGuard(t, Config{}), newTrace()
		ended := make(chan error, 1)
		cancelled := false
		go func() {
			var endless context.Context
			ended <- g.Run(endless, func(ctx context.Context, a Attempt) error {
				r.note(a)
				<-ctx.Done()
				cancelled = true
				return ctx.Err()
			})
		}()
		time.Sleep(time.Second)
		g.Stop()
		g.Stop()
		if err := <-ended; err != nil || !cancelled {
			t.Errorf("Run = %v, its call cancelled %v, want an end", err, cancelled)
		}
		before := books(g)
		g.Restore()
		g.Resubscribe()
		if g.Succeed(1) || g.Fail(1, errRefused) || books(g) != before {
			t.Errorf("a stopped guard changed to %+v", books(g))
		}
		time.Sleep(time.Hour)
		if _, wait, ok := g.Begin(); ok || wait != Never {
			t.Errorf("Begin after Stop = %v, %v, want never", wait, ok)
		}
		if err := g.Run(t.Context(), func(_ context.Context, a Attempt) error { r.note(a); return nil }); err != nil {
			t.Errorf("Run after Stop = %v, want nil", err)
		}
		r.wantTimes(t, 0)
		if s := g.State(); s.InFlight || s.NextKnown {
			t.Errorf("stopped: %+v, want nothing in flight and nothing to come", s)
		}
	})
}

// TestConcurrentUse has many begin, answer, restore and look at once: the history they
// make must keep the rules.
func TestConcurrentUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const floor = time.Millisecond
		g, r := newGuard(t, Config{Floor: floor, Max: 4 * floor, Ceiling: 3 * floor, Jitter: 0.2}, WithReporter(&diary{})), newTrace()
		var all sync.WaitGroup
		for worker := range 8 {
			all.Go(func() {
				for turn := worker; time.Since(r.start) < 300*floor; turn++ {
					a, _, ok := g.Begin()
					if ok {
						r.note(a)
					}
					switch {
					case ok && turn%3 == 0:
						g.Succeed(a.ID)
					case ok && turn%3 == 1:
						g.Fail(a.ID, errRefused)
					case turn%64 == 0:
						g.Restore()
					case turn%16 == 0:
						g.Resubscribe()
					}
					g.State()
					g.Check(t.Context())
					time.Sleep(floor / 10)
				}
			})
		}
		all.Wait()
		slices.SortFunc(r.sends, func(a, b Attempt) int { return cmp.Compare(a.ID, b.ID) })
		r.wantSpaced(t, floor)
		if sends := g.State().Sends; sends < 50 || sends > 300 || sends != uint64(len(r.sends)) {
			t.Errorf("%d sends noted, %d counted, want as many, 50 to 300", len(r.sends), sends)
		}
	})
}

// TestRefusalAllocatesNothing: being refused must cost less than what it saves.
func TestRefusalAllocatesNothing(t *testing.T) {
	var log lines
	flight := newGuard(t, Config{Jitter: 0.2, Floor: time.Hour, Max: time.Hour, Ceiling: time.Hour}, WithLogger(log.logger()), WithReporter(&diary{}))
	flight.Begin()
	waiting := newGuard(t, Config{Jitter: 0.2, Floor: time.Hour, Max: time.Hour})
	a, _, _ := waiting.Begin()
	waiting.Fail(a.ID, nil)
	subscribed := newGuard(t, Config{})
	a, _, _ = subscribed.Begin()
	subscribed.Succeed(a.ID)
	stopped := newGuard(t, Config{})
	stopped.Stop()
	for name, g := range map[string]*Guard{"in flight": flight, "waiting": waiting, "subscribed": subscribed, "stopped": stopped, "nil": nil} {
		if n := testing.AllocsPerRun(100, func() {
			if _, _, ok := g.Begin(); ok {
				t.Errorf("%s: began", name)
			}
			g.Succeed(0)
			g.Fail(0, errRefused)
			g.State()
		}); n != 0 {
			t.Errorf("%s: %v allocations when refused, want none", name, n)
		}
	}
}

// BenchmarkRefused is the cost of asking too soon.
func BenchmarkRefused(b *testing.B) {
	g, err := New(Config{Key: "a", Ceiling: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	g.Begin()
	b.ReportAllocs()
	for b.Loop() {
		g.Begin()
	}
}
