package tiers_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// settable is an instant check whose status a test sets.
type settable struct{ status check.Status }

func (c *settable) instant() check.Checker {
	return instant(func() check.Result { return check.Result{Status: c.status} })
}

// TestStartupLatch walks through the life of a process (X3, S2.6): the ready
// part is needed once, the startup part always.
func TestStartupLatch(t *testing.T) {
	const bad, fair, good = check.Unhealthy, check.Degraded, check.Healthy
	before, after := []string{"own", "ready"}, []string{"own"}
	for name, steps := range map[string][]struct {
		own, ready check.Status
		code       int
		entries    []string
	}{
		"starts and loses a dependency": {
			{bad, bad, 503, before}, {good, bad, 503, before}, {good, good, 200, before}, {good, bad, 200, after}, {good, good, 200, after},
		},
		"degraded is ready":                {{fair, fair, 200, before}, {fair, bad, 200, after}},
		"needs current health after":       {{good, good, 200, before}, {bad, good, 503, after}, {bad, bad, 503, after}, {good, bad, 200, after}},
		"ready before its own part":        {{bad, good, 503, before}, {good, bad, 200, after}},
		"never ready":                      {{good, bad, 503, before}, {good, bad, 503, before}, {bad, bad, 503, before}},
		"an unknown status is not healthy": {{good, unknownStatus, 503, before}, {unknownStatus, good, 503, before}, {unknownStatus, bad, 503, after}},
	} {
		t.Run(name, func(t *testing.T) {
			var own, ready settable
			s := tiers.New()
			must(t, s.AddStartup("own", own.instant()), s.AddReady("ready", ready.instant()))
			mux := mounted(t, s)
			for i, step := range steps {
				own.status, ready.status = step.own, step.ready
				rec := probe(mux, "GET", "/health/startup")
				entries := slices.Sorted(maps.Keys(read(t, rec.Body.Bytes()).Entries))
				if diff := cmp.Diff(step.entries, entries); rec.Code != step.code || diff != "" {
					t.Errorf("step %d: %d, want %d: %s", i, rec.Code, step.code, diff)
				}
			}
		})
	}
}

// TestStartupLatchesWhoeverAsks latches by a probe of the ready tier.
func TestStartupLatchesWhoeverAsks(t *testing.T) {
	ready := settable{check.Healthy}
	s := tiers.New()
	must(t, s.AddReady("ready", ready.instant()))
	mux := mounted(t, s, tiers.WithStartupPath("/started"))
	ready.status = check.Unhealthy
	want(t, probe(mux, "GET", "/health/ready"), 503, "Unhealthy")
	want(t, probe(mux, "GET", "/started"), 503, "Unhealthy")
	ready.status = check.Healthy
	want(t, probe(mux, "GET", "/health/ready"), 200, "Healthy")
	ready.status = check.Unhealthy
	want(t, probe(mux, "GET", "/started"), 200, "Healthy")
}

// TestStartupOfACheckOnBothTiers needs it once as ready and always as its own.
func TestStartupOfACheckOnBothTiers(t *testing.T) {
	both := settable{check.Unhealthy}
	s := tiers.New()
	must(t, s.Register("both", both.instant(), "ready", "startup"))
	mux := mounted(t, s)
	for _, step := range []struct {
		status check.Status
		code   int
	}{{check.Unhealthy, 503}, {check.Healthy, 200}, {check.Unhealthy, 503}, {check.Degraded, 200}} {
		both.status = step.status
		rec := probe(mux, "GET", "/health/startup")
		if b := read(t, rec.Body.Bytes()); rec.Code != step.code || len(b.Entries) != 1 {
			t.Errorf("%v: %d %s", step.status, rec.Code, rec.Body)
		}
	}
}

// TestStartupWhileDraining never latches for a process that stops before it was
// ready, and does not undo the start of one that was.
func TestStartupWhileDraining(t *testing.T) {
	for _, started := range []bool{false, true} {
		s := tiers.New()
		must(t, s.AddStartup("own", answer(check.Healthy)))
		mux, code := mounted(t, s), 503
		if started {
			want(t, probe(mux, "GET", "/health/startup"), 200, "Healthy")
			code = 200
		}
		s.Drain()
		for range 2 {
			if rec := probe(mux, "GET", "/health/startup"); rec.Code != code {
				t.Errorf("started %v: %d %s", started, rec.Code, rec.Body)
			}
		}
	}
}
