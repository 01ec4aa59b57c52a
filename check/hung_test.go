package check_test

import (
	"bytes"
	"runtime/pprof"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// TestHungCheck is F22: `timeout` at the limit, one
// goroutine, later probes answered at once, and recovery by the next probe.
func TestHungCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{})
		wantSample(t, r.Sample(t.Context()), check.Healthy, check.OK)
		time.Sleep(time.Second)
		release := d.hang()

		start := time.Now()
		wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Timeout)
		if waited := time.Since(start); waited != 800*ms {
			t.Errorf("the first probe waited %v", waited)
		}
		for i := range 1000 {
			asked := time.Now()
			s := r.Sample(t.Context())
			wantSample(t, s, check.Unhealthy, check.Timeout)
			if waited := time.Since(asked); waited != 0 {
				t.Fatalf("probe %d waited %v for a check that is known to hang", i, waited)
			}
			if s.Duration != time.Since(start) || s.Age != 0 || s.Expired {
				t.Fatalf("probe %d: duration %v, age %v, expired %v", i, s.Duration, s.Age, s.Expired)
			}
			if last, ok := r.Last(); !ok || last.Outcome != check.Timeout || last.Age != 0 || last.Expired {
				t.Fatalf("probe %d: last %+v", i, last)
			}
			time.Sleep(time.Second)
		}
		wantGoroutines(t, 1)
		if r.Hung() != 1 {
			t.Errorf("hung %d", r.Hung())
		}
		wantCalls(t, d, 2)

		release()
		synctest.Wait()
		wantGoroutines(t, 0)
		if r.Hung() != 0 {
			t.Errorf("after its return: hung %d", r.Hung())
		}
		wantSample(t, r.Sample(t.Context()), check.Healthy, check.OK)
		wantCalls(t, d, 3)
		if e := r.Events(); e != (check.Events{Runs: 3, LateAnswers: 1, Transitions: 2}) {
			t.Errorf("events %+v", e)
		}
	})
}

// TestLateAnswerIsDropped is F24: what a hung run says in the end is shown
// to nobody, not even for the reuse time.
func TestLateAnswerIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{Reuse: 20 * time.Second})
		release := d.hang()
		wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Timeout)
		d.set(check.Degraded) // the hung call goes on to say Healthy
		release()
		synctest.Wait()
		if last, _ := r.Last(); last.Outcome != check.Timeout || last.Age != 800*ms {
			t.Errorf("last %+v", last)
		}
		wantSample(t, r.Sample(t.Context()), check.Degraded, check.DegradedOutcome)
		wantCalls(t, d, 2)
	})
}

func TestTimeoutExpiresOnceTheRunReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{})
		release := d.hang()
		r.Check(t.Context())
		time.Sleep(time.Minute)
		if last, _ := r.Last(); last.Expired {
			t.Error("a hung check is known to hang now")
		}
		release()
		synctest.Wait()
		if last, _ := r.Last(); !last.Expired || last.Result.Status != check.Unhealthy {
			t.Errorf("last %+v", last)
		}
	})
}

// TestJoinWaitsForTheRestOfTheLimit lets a caller join shortly before the
// limit: it waits for the rest of it, not for a limit of its own.
func TestJoinWaitsForTheRestOfTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{})
		release := d.hang()
		first := ask(t.Context(), r)
		time.Sleep(700 * ms)
		start := time.Now()
		wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Timeout)
		if waited := time.Since(start); waited != 100*ms {
			t.Errorf("waited %v", waited)
		}
		<-first
		release()
	})
}

func TestHungCheckHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad, good := newDependency(), newDependency()
		release := bad.hang()
		r1, r2 := newRunner(t, bad, check.Sampling{}), newRunner(t, good, check.Sampling{})
		waiting := ask(t.Context(), r1)
		synctest.Wait()
		start := time.Now()
		wantSample(t, r2.Sample(t.Context()), check.Healthy, check.OK)
		if waited := time.Since(start); waited != 0 {
			t.Errorf("the good check waited %v", waited)
		}
		<-waiting
		start = time.Now()
		checkAll(t.Context(), r1, r2)
		if waited := time.Since(start); waited != 0 {
			t.Errorf("a tier with a hung check waited %v", waited)
		}
		release()
	})
}

// TestHungInstant keeps a check that only claims to read memory from costing
// a goroutine a probe.
func TestHungInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, instant{d}, check.Sampling{})
		release := d.hang()
		wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Timeout)
		for range 100 {
			start := time.Now()
			wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Timeout)
			if time.Since(start) != 0 {
				t.Fatal("waited again")
			}
		}
		wantGoroutines(t, 1)
		if r.Hung() != 1 {
			t.Errorf("hung %d, want 1", r.Hung())
		}
		release()
		synctest.Wait()
		wantSample(t, r.Sample(t.Context()), check.Healthy, check.OK)
	})
}

// TestHungCheckHasItsName: an operator finds it in a goroutine dump.
func TestHungCheckHasItsName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{})
		release := d.hang()
		r.Check(t.Context())
		var dump bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&dump, 1); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(dump.String(), `labels: {"check":"db"}`) {
			t.Error("no goroutine is labelled with the check's name")
		}
		release()
	})
}

// TestAbandonAfter tests the bound at which one more run may start, and that
// there is only ever one more.
func TestAbandonAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{AbandonAfter: 10 * time.Second})
		start := time.Now()
		releaseFirst := d.hang()
		r.Check(t.Context())

		time.Sleep(10*time.Second - 1 - time.Since(start))
		wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Timeout)
		wantCalls(t, d, 1)

		time.Sleep(time.Nanosecond)
		second := time.Now()
		releaseSecond := d.hang()
		wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Timeout)
		wantCalls(t, d, 2)
		wantGoroutines(t, 2)
		if time.Since(second) != 800*ms || r.Hung() != 2 {
			t.Errorf("waited %v, hung %d", time.Since(second), r.Hung())
		}

		time.Sleep(time.Hour)
		wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Timeout)
		wantCalls(t, d, 2)

		releaseFirst() // the oldest ends: its place is free for one more
		synctest.Wait()
		if r.Hung() != 1 {
			t.Errorf("hung %d", r.Hung())
		}
		releaseThird := d.hang()
		releaseThird()
		wantSample(t, r.Sample(t.Context()), check.Healthy, check.OK)
		wantCalls(t, d, 3)
		if last, _ := r.Last(); last.Outcome != check.OK {
			t.Errorf("the abandoned run outlives the newer one: %+v", last)
		}
		releaseSecond()
		synctest.Wait()
		wantGoroutines(t, 0)
		if last, _ := r.Last(); last.Outcome != check.OK || r.Hung() != 0 {
			t.Errorf("a late return changed the state: %+v, hung %d", last, r.Hung())
		}
		wantSample(t, r.Sample(t.Context()), check.Healthy, check.OK)
	})
}

// TestAbandonedRunReturnsBesideTheNewOne keeps the newer run in its place when
// the one that was given up comes back.
func TestAbandonedRunReturnsBesideTheNewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDependency()
		r := newRunner(t, d, check.Sampling{AbandonAfter: 8 * time.Second})
		releaseFirst := d.hang()
		r.Check(t.Context())
		time.Sleep(8 * time.Second)
		releaseSecond := d.hang()
		answer := ask(t.Context(), r)
		time.Sleep(100 * ms)
		releaseFirst()
		synctest.Wait()
		joined := ask(t.Context(), r)
		synctest.Wait()
		wantCalls(t, d, 2)
		releaseSecond()
		wantSample(t, <-answer, check.Healthy, check.OK)
		wantSample(t, <-joined, check.Healthy, check.OK)
		wantCalls(t, d, 2)
	})
}

// TestCase110HungCheckKeepsNoPass plays the reported case and its kind: no
// answer is never taken for the last answer, whatever that was.
func TestCase110HungCheckKeepsNoPass(t *testing.T) {
	for _, tt := range []struct {
		name   string
		s      check.Sampling
		before check.Status
	}{
		{"as reported", check.Sampling{Limit: 2 * time.Second}, check.Healthy},
		{"long reuse", check.Sampling{Limit: 2 * time.Second, Reuse: 9 * time.Second}, check.Healthy},
		{"no reuse", check.Sampling{Limit: 2 * time.Second, NoReuse: true}, check.Healthy},
		{"degraded before", check.Sampling{Limit: 2 * time.Second}, check.Degraded},
		{"default limit", check.Sampling{}, check.Healthy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDependency()
				d.set(tt.before)
				r := newRunner(t, d, tt.s)
				start := time.Now()
				at := func(second int) { time.Sleep(time.Duration(second)*time.Second - time.Since(start)) }

				if got := r.Check(t.Context()); got.Status != tt.before {
					t.Errorf("t=0: %v", got.Status)
				}
				at(1)
				release := d.hang()
				at(10)
				wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Timeout)
				if late := time.Since(start); late > 12200*ms {
					t.Errorf("answered at t=%v", late)
				}
				at(14)
				wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Timeout)
				if late := time.Since(start); late > 14*time.Second {
					t.Errorf("answered at t=%v", late)
				}
				at(60)
				d.set(check.Healthy)
				release()
				at(61)
				wantSample(t, r.Sample(t.Context()), check.Healthy, check.OK)
			})
		})
	}
}
