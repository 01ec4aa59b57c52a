package tiers_test

import (
	"fmt"
	"testing"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// unknownStatus is what a forgotten conversion makes.
const unknownStatus = check.Status(77)

// TestStatusCodes is the mapping table (S1.3, S1.4, S1.5, S1.11).
func TestStatusCodes(t *testing.T) {
	for _, row := range []struct {
		tier                                  tiers.Tier
		healthy, degraded, unhealthy, unknown int
	}{
		{tiers.Ready, 200, 200, 503, 503},
		{tiers.Active, 200, 200, 503, 503},
		{tiers.Live, 200, 200, 200, 200},
		{tiers.Startup, 200, 200, 503, 503},
		{tiers.Wedged, 200, 200, 503, 503},
		{"", 200, 200, 503, 503},
	} {
		for status, code := range map[check.Status]int{
			check.Healthy: row.healthy, check.Degraded: row.degraded, check.Unhealthy: row.unhealthy, unknownStatus: row.unknown,
		} {
			if got := (tiers.Report{Tier: row.tier, Status: status}).StatusCode(); got != code {
				t.Errorf("%q %v: %d, want %d", row.tier, status, got, code)
			}
		}
	}
}

// TestAggregateIsTheWorst asks every pair of statuses on every tier that takes
// checks, over HTTP (S1.9, S1.39).
func TestAggregateIsTheWorst(t *testing.T) {
	paths := map[string]string{
		tiers.TagReady: "/health/ready", tiers.TagActive: "/health/active",
		string(tiers.Startup): "/health/startup", string(tiers.Wedged): "/health/wedged",
	}
	statuses := []check.Status{check.Unhealthy, check.Degraded, check.Healthy, unknownStatus}
	for tag, path := range paths {
		for _, a := range statuses {
			for _, b := range statuses {
				t.Run(fmt.Sprintf("%s %v %v", tag, a, b), func(t *testing.T) {
					s := tiers.New()
					must(t, s.Register("a", answer(a), tag), s.Register("b", answer(b), tag))
					worst, code := check.Worst(a, b), 200
					if worst == check.Unhealthy {
						code = 503
					}
					got := want(t, probe(mounted(t, s), "GET", path), code, worst.String())
					if got.Entries["a"].Status != a.Known().String() || got.Entries["b"].Status != b.Known().String() {
						t.Errorf("entries %+v", got.Entries)
					}
				})
			}
		}
	}
}

// TestEmptyTiersAreHealthy asks a Set that has nothing (S1.9, S1.38).
func TestEmptyTiersAreHealthy(t *testing.T) {
	mux := mounted(t, tiers.New(), tiers.WithStartupPath("/health/startup"), tiers.WithWedgedPath("/health/wedged"))
	for _, path := range []string{"/health/ready", "/health/active", "/healthz", "/health/startup", "/health/wedged"} {
		rec := probe(mux, "GET", path)
		if b := want(t, rec, 200, "Healthy"); b.Entries == nil {
			t.Errorf("%s: entries are null: %s", path, rec.Body)
		}
	}
}

// TestTiersDoNotTouchEachOther fails one tier at a time (S1.8).
func TestTiersDoNotTouchEachOther(t *testing.T) {
	for failing, path := range map[string]string{tiers.TagReady: "/health/ready", tiers.TagActive: "/health/active", string(tiers.Wedged): "/health/wedged"} {
		s := tiers.New()
		var calls tally
		for _, tag := range []string{tiers.TagReady, tiers.TagActive, string(tiers.Wedged)} {
			status := check.Healthy
			if tag == failing {
				status = check.Unhealthy
			}
			must(t, s.Register(tag, instant(func() check.Result {
				calls.add(tag)
				return check.Result{Status: status}
			}), tag))
		}
		mux := mounted(t, s)
		for other, otherPath := range map[string]string{tiers.TagReady: "/health/ready", tiers.TagActive: "/health/active", string(tiers.Wedged): "/health/wedged"} {
			calls.take()
			rec := probe(mux, "GET", otherPath)
			called := calls.take()
			if b := read(t, rec.Body.Bytes()); (rec.Code == 503) != (otherPath == path) || len(b.Entries) != 1 || len(called) != 1 || called[other] != 1 {
				t.Errorf("%s fails: %s answers %d %s after the calls %v", failing, otherPath, rec.Code, rec.Body, called)
			}
		}
	}
}

// TestTierThatIsNot wants a spelling mistake to fail closed.
func TestTierThatIsNot(t *testing.T) {
	s := tiers.New()
	for _, tier := range []tiers.Tier{"", "redy", "READY"} {
		if got := s.Evaluate(t.Context(), tier); got.Status != check.Unhealthy {
			t.Errorf("%q is %v", tier, got.Status)
		}
		if _, _, ok := s.Last(tier); ok {
			t.Errorf("%q has a last report", tier)
		}
		if rec := probe(s.Handler(tier), "GET", "/"); rec.Code != 404 {
			t.Errorf("%q is served with %d", tier, rec.Code)
		}
	}
}
