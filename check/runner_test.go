package check_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
)

// TestReuse tests the default reuse time at its bound and one nanosecond
// past it, counted from the start of the run.
func TestReuse(t *testing.T) {
	for _, tt := range []struct {
		name  string
		s     check.Sampling
		took  time.Duration // by the first run
		after time.Duration // from the start of the first run
		calls int64
	}{
		{"at once", check.Sampling{}, 0, 0, 1},
		{"at the default", check.Sampling{}, 0, 500 * ms, 1},
		{"past the default", check.Sampling{}, 0, 500*ms + 1, 2},
		{"age counts from the start", check.Sampling{}, 200 * ms, 500 * ms, 1},
		{"age counts from the start, past", check.Sampling{}, 200 * ms, 500*ms + 1, 2},
		{"slower than the reuse", check.Sampling{}, 600 * ms, 600 * ms, 2},
		{"at its own", check.Sampling{Reuse: 2 * time.Second}, 0, 2 * time.Second, 1},
		{"past its own", check.Sampling{Reuse: 2 * time.Second}, 0, 2*time.Second + 1, 2},
		{"no reuse", check.Sampling{NoReuse: true}, 0, 0, 2},
		{"a short schedule caps the default", check.Sampling{Every: 100 * ms, Limit: 50 * ms}, 0, 300*ms + 1, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDependency()
				d.slow(tt.took)
				r := newRunner(t, d, tt.s)
				start := time.Now()
				first := r.Sample(t.Context())
				wantSample(t, first, check.Healthy, check.OK)
				if first.Duration != tt.took || first.Name != "db" || !first.Started.Equal(start) {
					t.Errorf("sample %+v", first)
				}
				d.slow(0)
				time.Sleep(tt.after - time.Since(start))
				second := r.Sample(t.Context())
				wantSample(t, second, check.Healthy, check.OK)
				wantCalls(t, d, tt.calls)
				if want := time.Since(second.Started); second.Age != want {
					t.Errorf("age %v, want %v", second.Age, want)
				}
			})
		})
	}
}

// TestReuseDelaysAChange pins the promise of the default: a dependency that
// goes down is seen half a second later at most.
func TestReuseDelaysAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{})
		r.Check(t.Context())
		d.set(check.Unhealthy)
		time.Sleep(500*ms + 1)
		wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Failed)
		d.set(check.Healthy)
		time.Sleep(500*ms + 1)
		wantSample(t, r.Sample(t.Context()), check.Healthy, check.OK)
	})
}

func TestCallersShareTheRunInFlight(t *testing.T) {
	for _, s := range []check.Sampling{{}, {NoReuse: true}} {
		synctest.Test(t, func(t *testing.T) {
			d := newDependency()
			d.slow(200 * ms)
			r := newRunner(t, d, s)
			var answers []<-chan check.Sample
			for range 100 {
				answers = append(answers, ask(t.Context(), r))
				time.Sleep(ms)
			}
			start := time.Now()
			for _, answer := range answers {
				wantSample(t, <-answer, check.Healthy, check.OK)
			}
			if waited := time.Since(start); waited != 100*ms {
				t.Errorf("the last caller waited %v for the run's end, want 100ms", waited)
			}
			wantCalls(t, d, 1)
		})
	}
}

// TestLimit tests the limit at its bound: what returns one nanosecond before
// it counts, what returns at it has timed out.
func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		s       check.Sampling
		took    time.Duration
		status  check.Status
		outcome check.Outcome
		waited  time.Duration
	}{
		{"before the default", check.Sampling{}, 800*ms - 1, check.Healthy, check.OK, 800*ms - 1},
		{"at the default", check.Sampling{}, 800 * ms, check.Unhealthy, check.Timeout, 800 * ms},
		{"past the default", check.Sampling{}, 800*ms + 1, check.Unhealthy, check.Timeout, 800 * ms},
		{"long past", check.Sampling{}, time.Hour, check.Unhealthy, check.Timeout, 800 * ms},
		{"before its own", check.Sampling{Limit: 2 * time.Second}, 2*time.Second - 1, check.Healthy, check.OK, 2*time.Second - 1},
		{"at its own", check.Sampling{Limit: 2 * time.Second}, 2 * time.Second, check.Unhealthy, check.Timeout, 2 * time.Second},
	} {
		for kind, wrap := range map[string]func(check.Checker) check.Checker{
			"I/O":     func(c check.Checker) check.Checker { return c },
			"instant": func(c check.Checker) check.Checker { return instant{c} },
		} {
			t.Run(tt.name+" "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := newDependency()
					d.slow(tt.took)
					r := newRunner(t, wrap(d), tt.s)
					start := time.Now()
					got := r.Sample(t.Context())
					wantSample(t, got, tt.status, tt.outcome)
					if waited := time.Since(start); waited != tt.waited || got.Duration != tt.waited {
						t.Errorf("waited %v, duration %v, want %v", waited, got.Duration, tt.waited)
					}
					time.Sleep(2 * time.Hour)
				})
			})
		}
	}
}

func TestLimitCancelsTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type seen struct {
			err, cause, child error
			after             time.Duration
			deadline          time.Time
		}
		saw := make(chan seen, 1)
		start := time.Now()
		r := newRunner(t, check.Func(func(ctx context.Context) check.Result {
			child, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			deadline, _ := ctx.Deadline()
			<-child.Done()
			saw <- seen{ctx.Err(), context.Cause(ctx), context.Cause(child), time.Since(start), deadline}
			return check.Result{Status: check.Healthy}
		}), check.Sampling{})
		wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Timeout)
		got := <-saw
		want := seen{context.DeadlineExceeded, context.DeadlineExceeded, context.DeadlineExceeded, 800 * ms, start.Add(800 * ms)}
		if got != want {
			t.Errorf("the check saw %+v, want %+v", got, want)
		}
	})
}

// TestContextEndsWithTheRun keeps what a check left behind from living on.
func TestContextEndsWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept context.Context
		r := newRunner(t, check.Func(func(ctx context.Context) check.Result {
			if ctx.Err() != nil {
				t.Error("the context has ended at the start")
			}
			kept = ctx
			return check.Result{Status: check.Healthy}
		}), check.Sampling{})
		r.Check(t.Context())
		if err := kept.Err(); !errors.Is(err, context.Canceled) {
			t.Errorf("after the run the context says %v", err)
		}
	})
}

// TestCallerGivesUp is S1.15 and F30: the caller that
// goes away gets Unhealthy for itself; the run goes on and its result is kept.
func TestCallerGivesUp(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(context.Context) (context.Context, context.CancelFunc)
		want error
	}{
		{"cancelled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(100*ms, cancel)
			return ctx, cancel
		}, context.Canceled},
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 100*ms)
		}, context.DeadlineExceeded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var cut error
				calls := 0
				r := newRunner(t, check.Func(func(ctx context.Context) check.Result {
					calls++
					time.Sleep(300 * ms)
					cut = ctx.Err()
					return check.Result{Status: check.Healthy}
				}), check.Sampling{})
				ctx, cancel := tt.end(t.Context())
				defer cancel()
				start := time.Now()
				leaver := ask(ctx, r)
				synctest.Wait()
				stayer := ask(t.Context(), r)

				left := <-leaver
				wantSample(t, left, check.Unhealthy, check.Timeout)
				if !errors.Is(left.Result.Err, tt.want) || time.Since(start) != 100*ms {
					t.Errorf("left after %v with %v", time.Since(start), left.Result.Err)
				}
				if _, ok := r.Last(); ok {
					t.Error("a caller's end was stored as the check's result")
				}
				wantSample(t, <-stayer, check.Healthy, check.OK)
				if cut != nil {
					t.Errorf("the shared run was cut: %v", cut)
				}
				wantSample(t, r.Sample(t.Context()), check.Healthy, check.OK)
				if calls != 1 {
					t.Errorf("%d runs, want 1", calls)
				}
			})
		})
	}
}

func TestCallerGoneBeforeItAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{})
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		wantSample(t, r.Sample(gone), check.Unhealthy, check.Timeout)
		wantCalls(t, d, 0)
		r.Check(t.Context())
		wantSample(t, r.Sample(gone), check.Healthy, check.OK) // a stored result costs nothing
		wantCalls(t, d, 1)
	})
}

func TestLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{})
		if s, ok := r.Last(); ok || s.Result.Status != check.Unhealthy {
			t.Errorf("before any run: %+v, %v", s, ok)
		}
		r.Check(t.Context())
		for _, tt := range []struct {
			age     time.Duration
			expired bool
		}{{0, false}, {30 * time.Second, false}, {30*time.Second + 1, true}} {
			s, _ := r.Last()
			time.Sleep(tt.age - s.Age)
			s, ok := r.Last()
			if !ok || s.Age != tt.age || s.Expired != tt.expired {
				t.Errorf("at %v: %+v, %v", tt.age, s, ok)
			}
			want := check.Healthy
			if tt.expired {
				want = check.Unhealthy
			}
			wantSample(t, s, want, check.OK)
		}
		wantCalls(t, d, 1)
	})
}

func TestUnknownStatusIsUnhealthy(t *testing.T) {
	r := newRunner(t, check.Func(func(context.Context) check.Result {
		return check.Result{Status: 99, Description: "odd"}
	}), check.Sampling{})
	got := r.Sample(t.Context())
	wantSample(t, got, check.Unhealthy, check.Failed)
	if got.Result.Description != "odd" {
		t.Errorf("description %q", got.Result.Description)
	}
}

// TestDescriptionFallsBackToTheClass keeps F51: with no words of the author an
// entry says its class, never its error.
func TestDescriptionFallsBackToTheClass(t *testing.T) {
	for _, tt := range []struct {
		in   check.Result
		want string
	}{
		{check.Result{Err: errors.New("secret")}, "failed"},
		{check.Result{Description: "own words"}, "own words"},
		{check.Result{Status: check.Degraded, Err: errors.New("secret")}, ""},
		{check.Result{Status: check.Healthy}, ""},
	} {
		r := newRunner(t, check.Func(func(context.Context) check.Result { return tt.in }), check.Sampling{})
		got := r.Check(t.Context())
		if got.Description != tt.want || got.Err != tt.in.Err {
			t.Errorf("%+v gave %+v, want description %q", tt.in, got, tt.want)
		}
	}
}

func TestInstantIsEvaluatedForEveryCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, instant{d}, check.Sampling{})
		if !r.Instant() {
			t.Error("not recognised as Instant")
		}
		for i := range 10 {
			d.set(check.Status(i % 3))
			if got := r.Check(t.Context()); got.Status != check.Status(i%3) {
				t.Errorf("call %d: %v", i, got.Status)
			}
		}
		// Also while another evaluation is in flight.
		d.slow(100 * ms)
		first := ask(t.Context(), r)
		synctest.Wait()
		second := ask(t.Context(), r)
		<-first
		<-second
		wantCalls(t, d, 12)
	})
}

func TestCheckAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runners []*check.Runner
		for i := range 5 {
			d := newDependency()
			d.slow(time.Duration(i) * 300 * ms) // 0, 300, 600, 900, 1200 ms
			runners = append(runners, newRunner(t, d, check.Sampling{}))
		}
		start := time.Now()
		told := map[int]check.Outcome{}
		check.CheckAll(t.Context(), runners, func(i int, s *check.Sample) {
			if _, again := told[i]; again {
				t.Errorf("check %d is told twice", i)
			}
			told[i] = s.Outcome
		})
		if waited := time.Since(start); waited != 800*ms {
			t.Errorf("all together took %v, want one limit", waited)
		}
		want := map[int]check.Outcome{0: check.OK, 1: check.OK, 2: check.OK, 3: check.Timeout, 4: check.Timeout}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Error(diff)
		}
		time.Sleep(time.Hour)
	})
}

// TestCheckAllOnTwoClocks: a result is as old as its own runner's clock says,
// also behind one that is reused by another clock.
func TestCheckAllOnTwoClocks(t *testing.T) {
	var runners []*check.Runner
	var clocks []*clock.Mock
	var checks []*dependency
	for range 3 {
		mock := clock.NewMock()
		d := newDependency()
		clocks, checks = append(clocks, mock), append(checks, d)
		runners = append(runners, newRunner(t, d, check.Sampling{}, check.WithClock(mock)))
	}
	checkAll(t.Context(), runners...)
	clocks[1].Add(500*ms + 1)
	clocks[2].Add(500 * ms)
	got := checkAll(t.Context(), runners...)
	for i, want := range []struct {
		calls int64
		age   time.Duration
	}{{1, 0}, {2, 0}, {1, 500 * ms}} {
		if calls := checks[i].calls.Load(); calls != want.calls || got[i].Age != want.age {
			t.Errorf("check %d: %d calls, age %v, want %+v", i, calls, got[i].Age, want)
		}
	}
}

// incomparable is a clock of a type that panics when it is compared.
type incomparable struct {
	clock.Clock
	_ []int
}

// TestCheckAllOnClocksThatCannotBeCompared: a clock is the caller's, and of any
// type.
func TestCheckAllOnClocksThatCannotBeCompared(t *testing.T) {
	c := incomparable{Clock: clock.NewMock()}
	var runners []*check.Runner
	for range 3 {
		runners = append(runners, newRunner(t, newDependency(), check.Sampling{}, check.WithClock(c)))
	}
	for range 2 {
		for _, s := range checkAll(t.Context(), runners...) {
			wantSample(t, s, check.Healthy, check.OK)
		}
	}
}

// TestCheckAllKeepsWhatHasArrived: a caller whose time ends while it waits for
// one check still gets the answers of those that were quicker.
func TestCheckAllKeepsWhatHasArrived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := newDependency()
		slow.slow(300 * ms)
		runners := []*check.Runner{newRunner(t, slow, check.Sampling{})}
		for range 20 {
			d := newDependency()
			d.slow(100 * ms)
			runners = append(runners, newRunner(t, d, check.Sampling{}))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*ms)
		defer cancel()
		got := checkAll(ctx, runners...)
		wantSample(t, got[0], check.Unhealthy, check.Timeout)
		for _, s := range got[1:] {
			wantSample(t, s, check.Healthy, check.OK)
		}
		time.Sleep(time.Second)
	})
}

// TestLastIsTheNewestStart: of two evaluations the one that started later is
// the newer, whichever ends first.
func TestLastIsTheNewestStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, instant{d}, check.Sampling{})
		d.set(check.Unhealthy)
		d.slow(300 * ms)
		older := ask(t.Context(), r)
		synctest.Wait()
		d.set(check.Healthy)
		d.slow(0)
		wantSample(t, r.Sample(t.Context()), check.Healthy, check.OK)
		wantSample(t, <-older, check.Unhealthy, check.Failed)
		last, _ := r.Last()
		wantSample(t, last, check.Healthy, check.OK)
		if got := r.Events().Transitions; got != 0 {
			t.Errorf("%d transitions", got)
		}
	})
}
