package tiers_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// runFor runs a set in the background and returns what ends it.
func runFor(t *testing.T, s *tiers.Set) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	synctest.Wait()
	return func() error {
		cancel()
		return <-ended
	}
}

// TestRunKeepsTiersFresh evaluates all tiers in use at once and then at every
// interval, and the live one never.
func TestRunKeepsTiersFresh(t *testing.T) {
	for refresh, every := range map[time.Duration]time.Duration{0: 5 * time.Second, 2 * time.Second: 2 * time.Second, time.Minute: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			s := tiers.New(tiers.WithRefresh(refresh))
			var calls tally
			for _, tag := range []string{"ready", "active", "startup", "wedged"} {
				must(t, s.Register(tag, instant(func() check.Result {
					calls.add(tag)
					return check.Result{Status: check.Healthy}
				}), tag))
			}
			stop := runFor(t, s)
			for n := range 4 {
				// The startup tier asks the ready tier's checks too until it
				// has latched, which the ready tier did before it.
				want := map[string]int{"ready": 1, "active": 1, "startup": 1, "wedged": 1}
				if diff := cmp.Diff(want, calls.take()); diff != "" {
					t.Errorf("every %v, interval %d: %s", every, n, diff)
				}
				for _, state := range s.TierStates() {
					if !state.Known || time.Since(state.Evaluated) >= every {
						t.Errorf("every %v, interval %d: %+v", every, n, state)
					}
				}
				time.Sleep(every)
				synctest.Wait()
			}
			if err := stop(); err != nil {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// TestRunKeepsSchedules runs checks that have a schedule at their own interval,
// those registered later too.
func TestRunKeepsSchedules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tiers.New(tiers.WithRefresh(time.Hour))
		var calls tally
		scheduled := func(name string) error {
			return s.AddReady(name, check.Func(func(context.Context) check.Result {
				calls.add(name)
				return check.Result{Status: check.Healthy}
			}), tiers.WithSampling(check.Sampling{Every: 10 * time.Second, Reuse: 20 * time.Second}))
		}
		must(t, scheduled("before"))
		stop := runFor(t, s)
		must(t, scheduled("after"))
		synctest.Wait()
		calls.take()
		time.Sleep(100 * time.Second)
		synctest.Wait()
		got := calls.take()
		for _, name := range []string{"before", "after"} {
			if got[name] < 9 || got[name] > 11 {
				t.Errorf("%s: %d calls in 100s, want 10", name, got[name])
			}
		}
		must(t, stop())
		calls.take()
		time.Sleep(time.Minute)
		if got := calls.take(); len(got) != 0 {
			t.Errorf("calls after the end: %v", got)
		}
	})
}

// TestRunJoins ends while a scheduled run is in progress, and returns when that
// has ended.
func TestRunJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tiers.New()
		var running atomic.Int32
		must(t, s.AddReady("slow", check.Func(func(context.Context) check.Result {
			running.Add(1)
			defer running.Add(-1)
			time.Sleep(700 * time.Millisecond)
			return check.Result{Status: check.Healthy}
		}), tiers.WithSampling(check.Sampling{Every: time.Second})))
		stop := runFor(t, s)
		time.Sleep(2 * time.Second) // past the first evaluation: what runs is the schedule's
		for running.Load() == 0 {
			time.Sleep(13 * time.Millisecond)
		}
		must(t, stop())
		if n := running.Load(); n != 0 {
			t.Errorf("%d runs go on", n)
		}
	})
}

// TestRunJoinsItsEvaluation ends while an evaluation is in progress, and
// returns when the check's call has ended; past the limit it is not waited for.
func TestRunJoinsItsEvaluation(t *testing.T) {
	for took, waits := range map[time.Duration]time.Duration{400 * time.Millisecond: 300 * time.Millisecond, time.Hour: 700 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			s := tiers.New()
			var running atomic.Int32
			must(t, s.AddReady("slow", check.Func(func(context.Context) check.Result {
				running.Add(1)
				defer running.Add(-1)
				time.Sleep(took)
				return check.Result{Status: check.Healthy}
			})))
			stop := runFor(t, s)
			time.Sleep(100 * time.Millisecond)
			ended := time.Now()
			must(t, stop())
			if waited := time.Since(ended); waited != waits || running.Load() != 0 && took < time.Hour {
				t.Errorf("a check of %v: ended after %v, want %v, with %d in progress", took, waited, waits, running.Load())
			}
			if report, _, ok := s.Last(tiers.Ready); !ok || (report.Status == check.Healthy) != (took < time.Hour) {
				t.Errorf("a check of %v: last report %+v", took, report)
			}
			time.Sleep(took) // until its goroutine has ended
		})
	}
}

// TestRunOnce refuses a second Run while the first is in progress, and a
// refresh interval that cannot be.
func TestRunOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tiers.New()
		for range 2 {
			stop := runFor(t, s)
			if err := s.Run(t.Context()); !errors.Is(err, tiers.ErrRunning) {
				t.Errorf("second: %v", err)
			}
			must(t, stop())
		}
		if err := tiers.New(tiers.WithRefresh(-time.Second)).Run(t.Context()); err == nil || err.Error() != "tiers: refresh -1s: must not be negative" {
			t.Errorf("negative refresh: %v", err)
		}
	})
}

// TestRunWithHungChecks is not held up by a check that hangs, neither in its
// rounds nor at its end.
func TestRunWithHungChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tiers.New()
		release := make(chan struct{})
		hang := check.Func(func(context.Context) check.Result { <-release; return check.Result{} })
		must(t, s.AddReady("hung", hang), s.AddReady("scheduled", hang, tiers.WithSampling(check.Sampling{Every: time.Second})))
		must(t, s.AddActive("ok", answer(check.Healthy)))
		stop := runFor(t, s)
		time.Sleep(time.Minute)
		for _, state := range s.TierStates() {
			if !state.Known || state.Status != map[tiers.Tier]check.Status{tiers.Ready: check.Unhealthy, tiers.Active: check.Healthy}[state.Tier] {
				t.Errorf("%+v", state)
			}
		}
		for _, state := range s.CheckStates() {
			if hung := state.Name != "ok"; !state.Known || (state.Hung == 1) != hung || (state.Status == check.Unhealthy) != hung {
				t.Errorf("%+v", state)
			}
		}
		before := time.Now()
		must(t, stop())
		if took := time.Since(before); took > 2*check.DefaultLimit {
			t.Errorf("ended after %v", took)
		}
		close(release)
	})
}
