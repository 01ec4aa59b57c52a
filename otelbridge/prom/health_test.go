package prom_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/tiers"
)

// answer is a check that always answers the same, after a while.
func answer(s check.Status, after time.Duration) check.Checker {
	return check.Func(func(context.Context) check.Result {
		time.Sleep(after)
		return check.Result{Status: s}
	})
}

// TestScrapeRunsNoCheck: however often somebody scrapes, no dependency is called,
// and one that hangs holds up no scrape.
func TestScrapeRunsNoCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := tiers.New()
		calls, release := 0, make(chan struct{})
		must(t,
			set.AddReady("counted", check.Func(func(context.Context) check.Result { calls++; return check.Result{} })),
			set.AddReady("hangs", check.Func(func(context.Context) check.Result { <-release; return check.Result{Status: check.Healthy} })),
		)
		r := newRig(t, otelbridge.Sources{Tiers: set})
		for range 10 {
			for _, s := range r.both(t) {
				s.want(t, `health_check_status{check="hangs",status="unknown",tier="ready"}`, 1)
				s.want(t, `health_tier_status{status="unknown",tier="ready"}`, 1)
				s.absent(t, "last_run")
				s.absent(t, "duration")
			}
		}
		if calls != 0 {
			t.Errorf("20 scrapes made %d calls", calls)
		}
		evaluate(t, set, tiers.Ready) // takes the limit of the check that hangs
		before := time.Now()
		for _, s := range r.both(t) {
			s.want(t, `health_check_hung{check="hangs"}`, 1)
			s.want(t, `health_check_status{check="hangs",status="unhealthy",tier="ready"}`, 1)
		}
		time.Sleep(time.Hour)
		for _, s := range r.both(t) {
			s.want(t, `health_check_status{check="hangs",status="unhealthy",tier="ready"}`, 1) // it hangs now, so that is known
			s.want(t, `health_check_status{check="counted",status="unknown",tier="ready"}`, 1)
		}
		if calls != 1 || time.Since(before) != time.Hour {
			t.Errorf("%d calls, scrapes took %v", calls, time.Since(before)-time.Hour)
		}
		close(release)
		synctest.Wait()
		for _, s := range r.both(t) {
			s.want(t, `health_check_hung{check="hangs"}`, 0)
		}
	})
}

// TestDurations: each run once, by its outcome, in its bucket, and none after
// Close.
func TestDurations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := tiers.New()
		release := make(chan struct{})
		defer close(release)
		must(t,
			set.AddReady("ok", answer(check.Healthy, 30*time.Millisecond)),
			set.AddReady("bound", answer(check.Healthy, 50*time.Millisecond)),
			set.AddReady("past", answer(check.Healthy, 50*time.Millisecond+1)),
			set.AddReady("degraded", answer(check.Degraded, 0)),
			set.AddReady("failed", answer(check.Unhealthy, 0)),
			set.AddReady("panics", check.Func(func(context.Context) check.Result { panic(errors.New("secret")) })),
			set.AddReady("hangs", check.Func(func(context.Context) check.Result { <-release; return check.Result{} })),
		)
		r := newRig(t, otelbridge.Sources{Tiers: set})
		evaluate(t, set, tiers.Ready)
		evaluate(t, set, tiers.Ready) // 800 ms later: nothing is reused, what hangs is not run again
		for _, s := range r.both(t) {
			const name = "health_check_duration_seconds"
			for check, outcome := range map[string]string{
				"ok": "ok", "bound": "ok", "past": "ok", "degraded": "degraded", "failed": "failed", "panics": "panic",
			} {
				s.want(t, name+`_count{check="`+check+`",outcome="`+outcome+`"}`, 2)
			}
			s.want(t, name+`_count{check="hangs",outcome="timeout"}`, 1)
			s.want(t, name+`_sum{check="hangs",outcome="timeout"}`, 0.8)
			s.want(t, name+`_sum{check="ok",outcome="ok"}`, 0.06)
			s.want(t, name+`_bucket{check="bound",outcome="ok",le="0.01"}`, 0)
			s.want(t, name+`_bucket{check="bound",outcome="ok",le="0.05"}`, 2)
			s.want(t, name+`_bucket{check="past",outcome="ok",le="0.05"}`, 0)
			s.want(t, name+`_bucket{check="past",outcome="ok",le="0.1"}`, 2)
			s.want(t, name+`_bucket{check="hangs",outcome="timeout",le="0.5"}`, 0)
			s.want(t, name+`_bucket{check="hangs",outcome="timeout",le="+Inf"}`, 1)
			if n := s.count(name + "_count"); n != 7 {
				t.Errorf("%d series of durations, want 7", n)
			}
		}
		must(t, r.exporter.Close())
		time.Sleep(time.Second)
		evaluate(t, set, tiers.Ready)
		if text := get(t, r.exporter).Body.String(); strings.Contains(text, "duration") {
			t.Errorf("durations after Close: %s", text)
		}
	})
}
