package otelbridge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"

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

// wantTier and wantCheck fail the test unless exactly the one status holds.
func wantTier(t testing.TB, s samples, tier, status string) {
	t.Helper()
	wantState(t, s, "health.tier.status{status=%s,tier="+tier+"}", status)
}

func wantCheck(t testing.TB, s samples, name, tier, status string) {
	t.Helper()
	wantState(t, s, "health.check.status{check="+name+",status=%s,tier="+tier+"}", status)
}

func wantState(t testing.TB, s samples, series, want string) {
	t.Helper()
	for _, status := range []string{"healthy", "degraded", "unhealthy", "unknown"} {
		value := 0.0
		if status == want {
			value = 1
		}
		s.want(t, fmt.Sprintf(series, status), value)
	}
}

// TestUnknownIsNotAStatus: what never ran, or ran longer ago than its maximum
// age, is unknown, and not what it was.
func TestUnknownIsNotAStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := tiers.New()
		must(t,
			set.AddReady("database", answer(check.Healthy, 0), tiers.WithTags(tiers.TagActive)),
			set.AddReady("queue", answer(check.Degraded, 0), tiers.WithSampling(check.Sampling{MaxAge: time.Minute})),
		)
		r := newRig(t, otelbridge.Sources{Tiers: set})
		s := r.collect(t)
		for _, tier := range []string{"ready", "active"} {
			wantTier(t, s, tier, "unknown")
			wantCheck(t, s, "database", tier, "unknown")
		}
		s.want(t, "health.tier.checks{tier=ready}", 2)
		s.want(t, "health.tier.checks{tier=active}", 1)
		s.want(t, "health.check.hung{check=queue}", 0)
		s.absent(t, "last_run")
		s.absent(t, "duration")

		evaluate(t, set, tiers.Ready)
		ran := float64(time.Now().Unix())
		time.Sleep(check.DefaultMaxAge)
		s = r.collect(t)
		wantTier(t, s, "ready", "degraded")
		wantTier(t, s, "active", "unknown")
		wantCheck(t, s, "database", "ready", "healthy")
		wantCheck(t, s, "database", "active", "healthy")
		wantCheck(t, s, "queue", "ready", "degraded")
		s.want(t, "health.check.last_run_timestamp{check=queue}", ran)

		time.Sleep(time.Nanosecond)
		s = r.collect(t)
		wantTier(t, s, "ready", "unknown")
		wantCheck(t, s, "database", "ready", "unknown")
		wantCheck(t, s, "queue", "ready", "degraded")
		s.want(t, "health.check.last_run_timestamp{check=database}", ran)

		set.Drain()
		evaluate(t, set, tiers.Active)
		wantTier(t, r.collect(t), "active", "unhealthy")
	})
}

// TestOptInTiers: a tier that nobody uses has no series; with a check it has.
func TestOptInTiers(t *testing.T) {
	set := tiers.New()
	r := newRig(t, otelbridge.Sources{Tiers: set})
	s := r.collect(t)
	wantTier(t, s, "ready", "unknown")
	s.want(t, "health.tier.checks{tier=active}", 0)
	for _, tier := range []string{"startup", "wedged", "live"} {
		s.absent(t, "tier="+tier)
	}
	must(t, set.AddStartup("migrations", answer(check.Healthy, 0)), set.AddWedged("loops", answer(check.Healthy, 0)))
	s = r.collect(t)
	wantTier(t, s, "startup", "unknown")
	wantCheck(t, s, "loops", "wedged", "unknown")
}

// TestCollectionRunsNoCheck: however often somebody scrapes, no dependency is
// called, and a check that hangs holds up no scrape.
func TestCollectionRunsNoCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := tiers.New()
		calls, release := 0, make(chan struct{})
		must(t,
			set.AddReady("counted", check.Func(func(context.Context) check.Result { calls++; return check.Result{} })),
			set.AddReady("hangs", check.Func(func(context.Context) check.Result { <-release; return check.Result{Status: check.Healthy} })),
		)
		r := newRig(t, otelbridge.Sources{Tiers: set})
		for range 10 {
			r.collect(t)
			r.scrape(t)
		}
		if calls != 0 {
			t.Errorf("20 collections made %d calls", calls)
		}
		evaluate(t, set, tiers.Ready) // takes the limit of the check that hangs
		before := time.Now()
		s := r.collect(t)
		s.want(t, "health.check.hung{check=hangs}", 1)
		wantCheck(t, s, "hangs", "ready", "unhealthy")
		time.Sleep(time.Hour)
		s = r.collect(t)
		wantCheck(t, s, "hangs", "ready", "unhealthy") // it hangs now, so that is known
		wantCheck(t, s, "counted", "ready", "unknown")
		if calls != 1 || time.Since(before) != time.Hour {
			t.Errorf("%d calls, collections took %v", calls, time.Since(before)-time.Hour)
		}
		close(release)
		synctest.Wait()
		r.collect(t).want(t, "health.check.hung{check=hangs}", 0)
	})
}

// TestDurations: each run once, by its outcome, in buckets made for seconds.
func TestDurations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := tiers.New()
		release := make(chan struct{})
		defer close(release)
		must(t,
			set.AddReady("ok", answer(check.Healthy, 30*time.Millisecond)),
			set.AddReady("degraded", answer(check.Degraded, 0)),
			set.AddReady("failed", answer(check.Unhealthy, 0)),
			set.AddReady("unheard of", answer(check.Status(77), 0)),
			set.AddReady("panics", check.Func(func(context.Context) check.Result { panic(errors.New("secret")) })),
			set.AddReady("hangs", check.Func(func(context.Context) check.Result { <-release; return check.Result{} })),
		)
		r := newRig(t, otelbridge.Sources{Tiers: set})
		evaluate(t, set, tiers.Ready)
		evaluate(t, set, tiers.Ready) // 800 ms later: nothing is reused, what hangs is not run again
		s := r.collect(t)
		s.want(t, "health.check.duration{check=ok,outcome=ok}", 2)
		s.want(t, "health.check.duration{check=degraded,outcome=degraded}", 2)
		s.want(t, "health.check.duration{check=failed,outcome=failed}", 2)
		s.want(t, "health.check.duration{check=unheard of,outcome=failed}", 2)
		s.want(t, "health.check.duration{check=panics,outcome=panic}", 2)
		s.want(t, "health.check.duration{check=hangs,outcome=timeout}", 1)
		if n := len(s.with("health.check.duration")); n != 6 {
			t.Errorf("%d series of durations, want 6", n)
		}

		bounds := []float64{.001, .005, .01, .05, .1, .25, .5, 1, 2.5, 5, 10}
		for _, m := range r.metrics(t) {
			h, ok := m.Data.(metricdata.Histogram[float64])
			if !ok {
				continue
			}
			for _, p := range h.DataPoints {
				if !slices.Equal(p.Bounds, bounds) {
					t.Errorf("bounds %v, want %v", p.Bounds, bounds)
				}
				switch name, _ := p.Attributes.Value("check"); name.AsString() {
				case "ok":
					if p.BucketCounts[3] != 2 || p.Sum != 0.06 {
						t.Errorf("two runs of 30 ms: buckets %v, sum %v", p.BucketCounts, p.Sum)
					}
				case "hangs":
					if p.BucketCounts[7] != 1 || p.Sum != check.DefaultLimit.Seconds() {
						t.Errorf("a run of 800 ms: buckets %v, sum %v", p.BucketCounts, p.Sum)
					}
				}
			}
		}
		must(t, r.bridge.Close())
		time.Sleep(time.Second)
		evaluate(t, set, tiers.Ready)
		r.collect(t).want(t, "health.check.duration{check=ok,outcome=ok}", 2)
	})
}
