package check_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// TestCheckThatAsksItself must end: at once where it passes its context on,
// at the limit where it does not.
func TestCheckThatAsksItself(t *testing.T) {
	for _, tt := range []struct {
		name    string
		instant bool
		detach  bool
		inner   check.Outcome
		waited  time.Duration
	}{
		{"with its context", false, false, check.Failed, 0},
		{"with its context, instant", true, false, check.Failed, 0},
		{"without it", false, true, check.Timeout, 800 * ms},
		{"without it, instant", true, true, check.Timeout, 800 * ms},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var (
					r     *check.Runner
					calls atomic.Int64
					inner atomic.Uint32
				)
				var c check.Checker = check.Func(func(ctx context.Context) check.Result {
					calls.Add(1)
					if tt.detach {
						ctx = context.Background()
					}
					s := r.Sample(ctx)
					inner.Store(uint32(s.Outcome))
					return s.Result
				})
				if tt.instant {
					c = instant{c}
				}
				r = newRunner(t, c, check.Sampling{})
				start := time.Now()
				got := r.Sample(t.Context())
				if got.Result.Status != check.Unhealthy || time.Since(start) != tt.waited {
					t.Errorf("%+v after %v", got, time.Since(start))
				}
				synctest.Wait()
				if got := check.Outcome(inner.Load()); got != tt.inner {
					t.Errorf("the check was told %v, want %v", got, tt.inner)
				}
				// Only an Instant check that hides who asks can be called again.
				limit := int64(1)
				if tt.instant && tt.detach {
					limit = 1024
				}
				if got := calls.Load(); got < 1 || got > limit {
					t.Errorf("%d calls, want at most %d", got, limit)
				}
				if r.Hung() != 0 {
					t.Errorf("hung %d", r.Hung())
				}
			})
		})
	}
}

// TestMutualRecursionIsDetected asks A, which asks B, which asks A again (F28).
// The circle is seen at once, so no time passes, each check is called once in a
// reuse time, and an Instant one once for each that asks it.
func TestMutualRecursionIsDetected(t *testing.T) {
	for _, kind := range []string{"I/O", "instant"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var a, b *check.Runner
				var calls atomic.Int64
				asks := func(other **check.Runner) check.Checker {
					c := check.Func(func(ctx context.Context) check.Result {
						calls.Add(1)
						return (*other).Check(ctx)
					})
					if kind == "instant" {
						return instant{c}
					}
					return c
				}
				a, b = newRunner(t, asks(&b), check.Sampling{}), newRunner(t, asks(&a), check.Sampling{})
				start := time.Now()
				for window := range 10 {
					calls.Store(0)
					for range 5 {
						wantSample(t, a.Sample(t.Context()), check.Unhealthy, check.Failed)
						wantSample(t, b.Sample(t.Context()), check.Unhealthy, check.Failed)
					}
					most := int64(2)
					if kind == "instant" {
						most = 2 * 2 * 5
					}
					if got := calls.Load(); got < 2 || got > most {
						t.Errorf("%d calls in a reuse time, want at most %d", got, most)
					}
					if took := time.Since(start) - time.Duration(window)*time.Second; took != 0 {
						t.Fatalf("took %v: the circle was not seen", took)
					}
					time.Sleep(time.Second)
				}
			})
		})
	}
}

// TestMutualRecursion is the same from both ends at once, and where no context
// shows the circle: it ends by the limit.
func TestMutualRecursion(t *testing.T) {
	for _, detach := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var a, b *check.Runner
			var calls atomic.Int64
			asks := func(other **check.Runner) check.Checker {
				return check.Func(func(ctx context.Context) check.Result {
					calls.Add(1)
					if detach {
						ctx = context.Background()
					}
					return (*other).Check(ctx)
				})
			}
			a, b = newRunner(t, asks(&b), check.Sampling{}), newRunner(t, asks(&a), check.Sampling{})
			start := time.Now()
			for range 10 {
				one, two := ask(t.Context(), a), ask(t.Context(), b)
				if s := <-one; s.Result.Status != check.Unhealthy {
					t.Errorf("a: %+v", s)
				}
				if s := <-two; s.Result.Status != check.Unhealthy {
					t.Errorf("b: %+v", s)
				}
				synctest.Wait()
			}
			if took := time.Since(start); took > 10*800*ms {
				t.Errorf("ten rounds took %v", took)
			}
			if calls.Load() > 20 {
				t.Errorf("%d calls in ten rounds", calls.Load())
			}
			if a.Hung() != 0 || b.Hung() != 0 {
				t.Errorf("hung %d, %d", a.Hung(), b.Hung())
			}
		})
	}
}

// TestPassingTheContextOnIsNoRecursion asks the same check from two branches
// of another one, which is legal.
func TestPassingTheContextOnIsNoRecursion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		d.slow(10 * ms)
		shared := newRunner(t, d, check.Sampling{NoReuse: true})
		outer := newRunner(t, check.Func(func(ctx context.Context) check.Result {
			one, two := ask(ctx, shared), ask(ctx, shared)
			return check.Result{Status: check.Worst((<-one).Result.Status, (<-two).Result.Status)}
		}), check.Sampling{})
		wantSample(t, outer.Sample(t.Context()), check.Healthy, check.OK)
		wantCalls(t, d, 1)
	})
}

// TestKeptContextIsNoRecursion lets a check keep its context past its run.
func TestKeptContextIsNoRecursion(t *testing.T) {
	var kept context.Context
	r := newRunner(t, check.Func(func(ctx context.Context) check.Result {
		kept = context.WithoutCancel(ctx)
		return check.Result{Status: check.Healthy}
	}), check.Sampling{NoReuse: true})
	for range 3 {
		wantSample(t, r.Sample(t.Context()), check.Healthy, check.OK)
		wantSample(t, r.Sample(kept), check.Healthy, check.OK)
	}
}

// TestTwoServersThatAskEachOther is the same over real HTTP, where no context
// shows the circle: it ends by the limit, and reuse keeps it from feeding
// itself.
func TestTwoServersThatAskEachOther(t *testing.T) {
	const limit = 100 * ms
	var (
		runners [2]atomic.Pointer[check.Runner]
		served  atomic.Int64
		urls    [2]string
	)
	for i := range 2 {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			served.Add(1)
			if runners[i].Load().Check(req.Context()).Status == check.Unhealthy {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
		defer server.Close()
		urls[i] = server.URL
	}
	for i := range 2 {
		runners[i].Store(newRunner(t, check.HTTP(urls[1-i]), check.Sampling{Limit: limit, Reuse: time.Minute, MaxAge: time.Hour}))
	}
	for range 20 {
		got := checkAll(t.Context(), runners[0].Load(), runners[1].Load())
		for _, s := range got {
			if s.Result.Status == check.Healthy {
				t.Errorf("a circle is Healthy: %+v", s)
			}
		}
	}
	runs := runners[0].Load().Events().Runs + runners[1].Load().Events().Runs
	if got := served.Load(); got > int64(runs) {
		t.Errorf("%d calls for %d runs", got, runs)
	}
}

// TestOutlivedAncestorIsNoRecursion: B was started inside a run of A that has
// ended since, so when B asks A there is no circle.
func TestOutlivedAncestorIsNoRecursion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a *check.Runner
		asked := make(chan check.Sample, 1)
		b := newRunner(t, check.Func(func(ctx context.Context) check.Result {
			time.Sleep(200 * ms)
			asked <- a.Sample(ctx)
			return check.Result{Status: check.Healthy}
		}), check.Sampling{})
		first := true
		a = newRunner(t, check.Func(func(ctx context.Context) check.Result {
			if first {
				first = false
				impatient, cancel := context.WithTimeout(ctx, 100*ms)
				defer cancel()
				b.Check(impatient)
			}
			return check.Result{Status: check.Healthy}
		}), check.Sampling{NoReuse: true})
		wantSample(t, a.Sample(t.Context()), check.Healthy, check.OK)
		wantSample(t, <-asked, check.Healthy, check.OK)
	})
}
