package check_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// callers is how many ask at the same time. The race detector ends above 8128
// goroutines, so under it the storm is smaller.
func callers() int {
	if raceEnabled {
		return 2000
	}
	return 10_000
}

// TestStormOnAHungCheck is F27: everybody is answered at the limit, the
// check is called once and costs one goroutine; the next storm is answered at
// once.
func TestStormOnAHungCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{})
		release := d.hang()
		for round, want := range []time.Duration{800 * ms, 0} {
			start := time.Now()
			var wg sync.WaitGroup
			for range callers() {
				wg.Go(func() {
					if s := r.Sample(t.Context()); s.Outcome != check.Timeout || s.Result.Status != check.Unhealthy {
						t.Errorf("round %d: %+v", round, s)
					}
				})
			}
			if round == 0 {
				wantGoroutines(t, 1) // beside the callers
			}
			wg.Wait()
			if waited := time.Since(start); waited != want {
				t.Errorf("round %d: all were answered after %v, want %v", round, waited, want)
			}
		}
		wantCalls(t, d, 1)
		wantGoroutines(t, 1)
		release()
	})
}

// TestStormOnASlowCheck is F26: callers that never stop asking reach the
// dependency once in a reuse time, and each is answered.
func TestStormOnASlowCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		d.slow(200 * ms)
		r := newRunner(t, d, check.Sampling{})
		var wg sync.WaitGroup
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		for range callers() / 10 {
			wg.Go(func() {
				for ctx.Err() == nil {
					if s := r.Sample(t.Context()); s.Outcome != check.OK || s.Age > 500*ms {
						t.Errorf("sample %+v", s)
					}
					time.Sleep(40 * ms)
				}
			})
		}
		wg.Wait()
		if calls := d.calls.Load(); calls < 19 || calls > 21 {
			t.Errorf("%d calls in 10 s, want one in half a second", calls)
		}
	})
}

// TestRunnerConcurrentSafe lets everything happen at once; the race detector
// and the invariants judge.
func TestRunnerConcurrentSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{Every: 5 * time.Second, Limit: 50 * ms, AbandonAfter: 500 * ms},
			check.WithObserver(func(check.Sample) {}))
		stop := runSchedule(t, r)
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				for ctx.Err() == nil {
					caller, leave := context.WithTimeout(t.Context(), time.Duration(i+1)*3*ms)
					for _, s := range []check.Sample{r.Sample(caller), checkAll(caller, r)[0]} {
						if s.Result.Status == check.Healthy && s.Outcome != check.OK || s.Age < 0 || s.Duration < 0 {
							t.Errorf("sample %+v", s)
						}
					}
					leave()
					if hung := r.Hung(); hung < 0 || hung > 2 {
						t.Errorf("hung %d", hung)
					}
					r.Last()
					r.Events()
					time.Sleep(time.Duration(i+1) * 7 * ms)
				}
			})
		}
		for i := range 5 {
			d.set(check.Status(i % 3))
			d.slow(time.Duration(i%4) * 20 * ms)
			release := d.hang()
			time.Sleep(time.Second)
			release()
			time.Sleep(2 * time.Second)
		}
		wg.Wait()
		_ = stop()
		if r.Hung() != 0 {
			t.Errorf("hung %d", r.Hung())
		}
	})
}
