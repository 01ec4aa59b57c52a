package tiers_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestSetConcurrentSafe registers, probes, reads, observes, drains and runs all
// at once. Every body is whole, and a check that was registered is in each
// report that is asked for afterwards.
func TestSetConcurrentSafe(t *testing.T) {
	const workers, checks = 4, 25
	s := tiers.New()
	mux := mounted(t, s, tiers.WithStartupPath("/health/startup"), tiers.WithWedgedPath("/health/wedged"))
	ctx, cancel := context.WithCancel(t.Context())
	var running, work sync.WaitGroup
	running.Go(func() { _ = s.Run(ctx) })

	tags := []string{"ready", "active", "startup", "wedged"}
	var taken atomic.Int64
	for w := range workers {
		work.Go(func() {
			for i := range checks {
				name := fmt.Sprintf("%d-%d", w, i)
				must(t, s.Register(name, answer(check.Status(i%3)), tags[i%4], tags[(i+1)%4]))
				if s.Register("shared", answer(check.Healthy), "ready") == nil {
					taken.Add(1)
				}
				if e := read(t, probe(mux, "GET", "/health/"+tags[i%4]).Body.Bytes()).Entries; len(e) == 0 || i%4 != 2 && e[name].Status == "" {
					t.Errorf("%s is not in %v", name, e)
				}
			}
		})
		work.Go(func() {
			for i := range checks {
				stop := s.Observe(func(check.Sample) {})
				for _, tier := range []tiers.Tier{tiers.Ready, tiers.Active, tiers.Startup, tiers.Wedged, tiers.Live} {
					read(t, probe(mux, "GET", "/healthz").Body.Bytes())
					s.Evaluate(t.Context(), tier)
					s.Last(tier)
				}
				s.TierStates()
				s.CheckStates()
				stop()
				if i == checks/2 {
					s.Drain()
				}
			}
		})
	}
	work.Wait()
	cancel()
	running.Wait()
	if got := len(s.CheckStates()); got != workers*checks+1 || taken.Load() != 1 {
		t.Errorf("%d checks, %d took the shared name", got, taken.Load())
	}
}

// TestReentrantChecks lets a check call every method of its own Set.
func TestReentrantChecks(t *testing.T) {
	s := tiers.New()
	mux := mounted(t, s)
	must(t, s.AddReady("a", instant(func() check.Result {
		_ = s.AddActive("b", answer(check.Healthy))
		s.Observe(func(check.Sample) { s.CheckStates() })()
		s.Evaluate(context.Background(), tiers.Active)
		s.Last(tiers.Ready)
		s.TierStates()
		_, _ = s.Endpoints()
		probe(mux, "GET", "/healthz")
		return check.Result{Status: check.Healthy}
	})))
	want(t, probe(mux, "GET", "/health/ready"), 200, "Healthy")
	want(t, probe(mux, "GET", "/health/active"), 200, "Healthy")
}
