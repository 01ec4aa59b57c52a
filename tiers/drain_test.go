package tiers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestDrain turns ready and active to 503 at once, and nothing else, while the
// server goes on.
func TestDrain(t *testing.T) {
	s := tiers.New()
	must(t,
		s.Register("a", answer(check.Healthy), tiers.TagReady, tiers.TagActive, "wedged", "startup"),
		s.AddReady("z", answer(check.Healthy)),
	)
	mux := mounted(t, s)
	paths := []string{"/health/ready", "/health/active", "/health/startup", "/health/wedged", "/healthz"}
	for _, path := range paths {
		want(t, probe(mux, "GET", path), 200, "Healthy")
	}
	before, _, _ := s.Last(tiers.Ready)
	s.Drain()
	s.Drain()
	for range 3 {
		for _, path := range paths {
			rec := probe(mux, "GET", path)
			if path != "/health/ready" && path != "/health/active" {
				want(t, rec, 200, "Healthy")
				continue
			}
			b := want(t, rec, 503, "Unhealthy")
			if e := b.Entries["draining"]; e.Status != "Unhealthy" || e.Description == nil || b.Entries["a"].Status != "Healthy" {
				t.Errorf("%s: %v", path, b.Entries)
			}
			if strings.Count(rec.Body.String(), `"draining"`) != 1 {
				t.Errorf("%s: %s", path, rec.Body)
			}
		}
	}
	if len(before.Entries) != 2 {
		t.Errorf("a report made before has changed: %v", before)
	}
}

// TestDrainShowsAtOnce looks at what exporters see without a probe between.
func TestDrainShowsAtOnce(t *testing.T) {
	s := tiers.New()
	must(t, s.AddReady("a", answer(check.Healthy)))
	s.Evaluate(t.Context(), tiers.Ready)
	s.Evaluate(t.Context(), tiers.Active)
	s.Drain()
	for _, tier := range []tiers.Tier{tiers.Ready, tiers.Active} {
		if last, _, _ := s.Last(tier); last.Status != check.Unhealthy {
			t.Errorf("the last report of %s is %v", tier, last.Status)
		}
	}
	for _, state := range s.TierStates() {
		if !state.Known || state.Status != check.Unhealthy {
			t.Errorf("state %+v", state)
		}
	}
}

// TestDrainIsKnownForGood shows exporters that a set drains which was never
// evaluated, or not for long.
func TestDrainIsKnownForGood(t *testing.T) {
	for _, evaluated := range []bool{false, true} {
		clock := fixedClock()
		s := tiers.New(tiers.WithClock(clock))
		must(t, s.AddWedged("a", answer(check.Healthy)))
		if evaluated {
			s.Evaluate(t.Context(), tiers.Ready)
			clock.Add(time.Hour)
		}
		s.Drain()
		for _, state := range s.TierStates() {
			drains := state.Tier == tiers.Ready || state.Tier == tiers.Active
			if state.Known != drains || drains && state.Status != check.Unhealthy {
				t.Errorf("evaluated %v: %+v", evaluated, state)
			}
		}
	}
}

// TestDrainDuringAProbe drains while a check runs: the probe that began before
// is not ready either.
func TestDrainDuringAProbe(t *testing.T) {
	s := tiers.New()
	must(t, s.AddReady("a", instant(func() check.Result {
		s.Drain()
		return check.Result{Status: check.Healthy}
	})))
	want(t, probe(mounted(t, s), "GET", "/health/ready"), 503, "Unhealthy")
}

// TestDrainLeavesGatesOpen shows that a gate follows membership (S1.45).
func TestDrainLeavesGatesOpen(t *testing.T) {
	s := tiers.New()
	s.Drain()
	h := tiers.RequireActive(gate(func() bool { return true }), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	if got := probe(h, "POST", "/orders").Code; got != http.StatusNoContent {
		t.Errorf("%d", got)
	}
}
