package check_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/loopvitals/loopvitals/check"
)

// runSchedule runs r.Run until the returned function is called, which returns
// Run's error.
func runSchedule(t *testing.T, r *check.Runner) (stop func() error) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

func TestScheduleSamplesEveryInterval(t *testing.T) {
	const every = 10 * time.Second
	firsts := map[time.Duration]bool{}
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			var starts []time.Time
			r := newRunner(t, newDependency(), check.Sampling{Every: every}, check.WithObserver(func(s check.Sample) {
				starts = append(starts, s.Started)
			}))
			begin := time.Now()
			stop := runSchedule(t, r)
			time.Sleep(100*every + every/2)
			if err := stop(); err != nil {
				t.Errorf("Run = %v", err)
			}
			if len(starts) < 100 || len(starts) > 101 {
				t.Errorf("%d samples in 100 intervals and a half", len(starts))
			}
			first := starts[0].Sub(begin)
			if first < 0 || first >= every {
				t.Errorf("the first sample came after %v", first)
			}
			firsts[first] = true
			for i, at := range starts {
				if want := starts[0].Add(time.Duration(i) * every); !at.Equal(want) {
					t.Fatalf("sample %d at %v, want %v: the schedule drifts", i, at, want)
				}
			}
		})
	}
	if len(firsts) < 15 {
		t.Errorf("the first sample came at %d different times in 20 starts: no jitter", len(firsts))
	}
}

func TestNoSchedule(t *testing.T) {
	if err := newRunner(t, newDependency(), check.Sampling{}).Run(t.Context()); err != check.ErrNoSchedule {
		t.Errorf("Run = %v", err)
	}
}

// TestScheduleOfAHungCheck starts no second run, and goes on when it returns.
func TestScheduleOfAHungCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{Every: time.Second})
		release := d.hang()
		stop := runSchedule(t, r)
		time.Sleep(time.Hour)
		wantCalls(t, d, 1)
		wantGoroutines(t, 1)
		release()
		time.Sleep(3 * time.Second)
		if last, _ := r.Last(); last.Outcome != check.OK {
			t.Errorf("last %+v", last)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestScheduleJoinsItsRun: when Run returns, its run has ended or is hung.
func TestScheduleJoinsItsRun(t *testing.T) {
	for _, tt := range []struct {
		name   string
		took   time.Duration
		waited time.Duration
		hung   int
	}{
		{"a slow run", 500 * ms, 500 * ms, 0},
		{"a hung run", time.Hour, 800 * ms, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDependency()
				observed := 0
				d.slow(tt.took)
				r := newRunner(t, d, check.Sampling{Every: time.Second}, check.WithObserver(func(check.Sample) { observed++ }))
				stop := runSchedule(t, r)
				for d.calls.Load() == 0 {
					time.Sleep(ms)
				}
				start := time.Now()
				if err := stop(); err != nil {
					t.Error(err)
				}
				if waited := time.Since(start); waited > tt.waited || waited < tt.waited-2*ms {
					t.Errorf("Run ended after %v, want %v", waited, tt.waited)
				}
				wantGoroutines(t, tt.hung)
				if observed != 1 || r.Hung() != tt.hung {
					t.Errorf("observed %d, hung %d", observed, r.Hung())
				}
				time.Sleep(time.Hour)
			})
		})
	}
}

func TestScheduleDoesNotWaitForAHungHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		r := newRunner(t, newDependency(), check.Sampling{Every: time.Second}, check.WithObserver(func(check.Sample) { <-block }))
		stop := runSchedule(t, r)
		time.Sleep(10 * time.Second)
		start := time.Now()
		if err := stop(); err != nil || time.Since(start) != 800*ms {
			t.Errorf("Run = %v after %v", err, time.Since(start))
		}
		close(block)
	})
}

func TestScheduleEndsBeforeItsStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{Every: time.Hour})
		start := time.Now()
		if err := runSchedule(t, r)(); err != nil || time.Since(start) != 0 {
			t.Errorf("Run = %v after %v", err, time.Since(start))
		}
		wantCalls(t, d, 0)
	})
}

// TestProbesFromTheScheduleAlone is the documented way to keep probes off the
// dependency: a reuse time that reaches over the interval.
func TestProbesFromTheScheduleAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		d.slow(300 * ms)
		r := newRunner(t, d, check.Sampling{Every: 5 * time.Second, Reuse: 6 * time.Second})
		stop := runSchedule(t, r)
		time.Sleep(6 * time.Second)
		before := d.calls.Load()
		for range 1000 {
			start := time.Now()
			wantSample(t, r.Sample(t.Context()), check.Healthy, check.OK)
			if time.Since(start) != 0 {
				t.Fatal("a probe waited")
			}
			time.Sleep(50 * ms)
		}
		if calls := d.calls.Load() - before; calls != 10 {
			t.Errorf("%d calls in ten intervals", calls)
		}
		_ = stop()
	})
}

// TestMockClock shows that a mock governs limit, reuse, age and schedule, and
// that time zero is a time like any other.
func TestMockClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mock := clock.NewMock()
		d := newDependency()
		r := newRunner(t, d, check.Sampling{Every: 10 * time.Second}, check.WithClock(mock))
		first := r.Sample(t.Context())
		wantSample(t, first, check.Healthy, check.OK)
		if !first.Started.Equal(time.Unix(0, 0)) {
			t.Errorf("started %v", first.Started)
		}
		time.Sleep(time.Hour) // real time is nothing to it
		r.Check(t.Context())
		wantCalls(t, d, 1)
		mock.Add(500*ms + 1)
		r.Check(t.Context())
		wantCalls(t, d, 2)

		mock.Add(time.Second)
		release := d.hang()
		answer := ask(t.Context(), r)
		synctest.Wait()
		mock.Add(800*ms - 1)
		synctest.Wait()
		select {
		case s := <-answer:
			t.Errorf("answered before the limit: %+v", s)
		default:
		}
		mock.Add(1)
		wantSample(t, <-answer, check.Unhealthy, check.Timeout)
		release()

		synctest.Wait()
		stop := runSchedule(t, r)
		synctest.Wait()
		calls := d.calls.Load()
		for range 10 {
			mock.Add(10 * time.Second)
			synctest.Wait()
		}
		if got := d.calls.Load() - calls; got < 10 || got > 11 {
			t.Errorf("%d scheduled runs in ten intervals", got)
		}
		_ = stop()
	})
}

// TestClockGoesBack: an age is never negative, and a result from before the
// clock was set back answers nobody for the hour until the clock is there
// again.
func TestClockGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mock := clock.NewMock()
		mock.Add(time.Hour)
		d := newDependency()
		r := newRunner(t, d, check.Sampling{}, check.WithClock(mock))
		r.Check(t.Context())
		mock.Set(time.Unix(0, 0))
		if s, ok := r.Last(); !ok || s.Age != 0 || s.Expired || s.Result.Status != check.Healthy {
			t.Errorf("last %+v", s)
		}
		d.set(check.Unhealthy)
		for range 3 {
			if s := r.Sample(t.Context()); s.Age != 0 || s.Result.Status != check.Unhealthy {
				t.Errorf("sample %+v", s)
			}
		}
		wantCalls(t, d, 2)
		if s, _ := r.Last(); s.Result.Status != check.Unhealthy {
			t.Errorf("last %+v", s)
		}
	})
}
