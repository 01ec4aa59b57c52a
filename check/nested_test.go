package check_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// TestRunnerOfARunner wants what a runner below has kept to be as old above, and to
// expire there, too: ages count from the start of what was observed (R2).
func TestRunnerOfARunner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		below, err := check.NewRunner("below", check.Func(func(context.Context) check.Result { return check.Result{Status: check.Healthy} }), check.Sampling{Reuse: time.Minute, MaxAge: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		above, err := check.NewRunner("above", below, check.Sampling{MaxAge: 4 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		for second := range 6 {
			s := above.Sample(t.Context())
			age := time.Duration(second) * time.Second
			if s.Age != age || s.Expired != (age > 4*time.Second) {
				t.Errorf("after %v: age %v, expired %v", age, s.Age, s.Expired)
			}
			if last, ok := above.Last(); !ok || last.Age != age {
				t.Errorf("after %v: the last sample is %v old", age, last.Age)
			}
			time.Sleep(time.Second)
		}
		if runs := below.Events().Runs; runs != 1 {
			t.Errorf("%d runs below, want 1", runs)
		}
	})
}

// TestRunnerOfARunnerMayBeAsOld wants a result that is in order below to be so above,
// where no maximum age was set: a Runner with a slow schedule goes on a tier as it is.
func TestRunnerOfARunnerMayBeAsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		healthy := check.Func(func(context.Context) check.Result { return check.Result{Status: check.Healthy} })
		below, err := check.NewRunner("below", healthy, check.Sampling{Every: time.Minute, Reuse: 3 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		above, err := check.NewRunner("above", below, check.Sampling{})
		if err != nil {
			t.Fatal(err)
		}
		above.Sample(t.Context())
		time.Sleep(3 * time.Minute)
		if s := above.Sample(t.Context()); s.Age != 3*time.Minute || s.Expired || s.Result.Status != check.Healthy {
			t.Errorf("at the age of %v: %v, expired %v", s.Age, s.Result.Status, s.Expired)
		}
		stricter, err := check.NewRunner("stricter", below, check.Sampling{MaxAge: time.Minute})
		if err != nil || stricter.MaxAge() != time.Minute {
			t.Errorf("a maximum age that was set became %v, %v", stricter.MaxAge(), err)
		}
	})
}
