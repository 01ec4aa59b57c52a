package tiers_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestStatesRunNothing reads everything an exporter reads, of checks that must
// not be called.
func TestStatesRunNothing(t *testing.T) {
	s := tiers.New()
	calls := 0
	c := instant(func() check.Result { calls++; return check.Result{} })
	must(t, s.Register("a", c, "ready", "active", "startup", "wedged"))
	for range 3 {
		s.Evaluate(t.Context(), tiers.Live)
		s.TierStates()
		s.CheckStates()
		for _, tier := range []tiers.Tier{tiers.Ready, tiers.Active, tiers.Live, tiers.Startup, tiers.Wedged} {
			if report, begun, ok := s.Last(tier); ok || !begun.IsZero() || report.Entries != nil {
				t.Errorf("last of %s: %v at %v", tier, report, begun)
			}
		}
	}
	if calls != 0 {
		t.Errorf("%d calls", calls)
	}
	for _, state := range s.TierStates() {
		if state.Known || !state.Evaluated.IsZero() || state.Checks != 1 {
			t.Errorf("%+v", state)
		}
	}
}

// TestTierStatesGrowOld keeps a status for the tier's maximum age and not a
// nanosecond longer.
func TestTierStatesGrowOld(t *testing.T) {
	for refresh, maxAge := range map[time.Duration]time.Duration{0: 30 * time.Second, time.Second: 30 * time.Second, time.Minute: 3 * time.Minute} {
		clock := fixedClock() // at Unix 0: a time like any other (X26)
		s := tiers.New(tiers.WithClock(clock), tiers.WithRefresh(refresh))
		must(t, s.AddReady("a", answer(check.Degraded)), s.AddReady("b", answer(check.Healthy)))
		s.Evaluate(t.Context(), tiers.Ready)
		begun := clock.Now()
		for _, c := range []struct {
			after time.Duration
			known bool
		}{{0, true}, {maxAge, true}, {maxAge + 1, false}, {time.Hour, false}} {
			clock.Set(begun.Add(c.after))
			want := []tiers.TierState{
				{Tier: tiers.Ready, Checks: 2, Status: check.Degraded, Known: c.known, Evaluated: begun},
				{Tier: tiers.Active},
			}
			if diff := cmp.Diff(want, s.TierStates()); diff != "" {
				t.Errorf("refresh %v, after %v: %s", refresh, c.after, diff)
			}
		}
	}
}

// TestCheckStatesGrowOld does the same for a check, whose maximum age is its
// own.
func TestCheckStatesGrowOld(t *testing.T) {
	const maxAge = 7 * time.Second
	clock := fixedClock()
	s := tiers.New(tiers.WithClock(clock))
	must(t, s.Register("b", answer(check.Healthy), "active", "ready"))
	must(t, s.AddActive("a", answer(check.Degraded), tiers.WithSampling(check.Sampling{MaxAge: maxAge})))
	begun := clock.Now()
	s.Evaluate(t.Context(), tiers.Active)
	for _, c := range []struct {
		after time.Duration
		known bool
	}{{0, true}, {maxAge, true}, {maxAge + 1, false}} {
		clock.Set(begun.Add(c.after))
		states := s.CheckStates()
		if len(states) != 2 || states[0].Name != "a" || states[0].Known != c.known || !states[1].Known || states[1].Status != check.Healthy || !states[0].Sampled.Equal(begun) {
			t.Errorf("after %v: %+v", c.after, states)
		}
		if diff := cmp.Diff([]tiers.Tier{tiers.Ready, tiers.Active}, states[1].Tiers); diff != "" {
			t.Error(diff)
		}
	}
}

// TestOptInTiersShowThemselves when they have checks, or a handler.
func TestOptInTiersShowThemselves(t *testing.T) {
	shown := func(s *tiers.Set) (list []tiers.Tier) {
		for _, state := range s.TierStates() {
			list = append(list, state.Tier)
		}
		return list
	}
	s := tiers.New()
	for _, step := range []struct {
		do   func()
		want []tiers.Tier
	}{
		{func() {}, []tiers.Tier{tiers.Ready, tiers.Active}},
		{func() { mounted(t, s, tiers.WithStartupPath("/s")) }, []tiers.Tier{tiers.Ready, tiers.Active, tiers.Startup}},
		{func() { s.Handler(tiers.Wedged); s.Handler("nonsense") }, []tiers.Tier{tiers.Ready, tiers.Active, tiers.Startup, tiers.Wedged}},
		{func() { must(t, s.AddWedged("w", answer(check.Healthy))) }, []tiers.Tier{tiers.Ready, tiers.Active, tiers.Startup, tiers.Wedged}},
	} {
		step.do()
		if diff := cmp.Diff(step.want, shown(s)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestLastKeepsTheNewest finishes two evaluations in the wrong order: what
// counts is when they began.
func TestLastKeepsTheNewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tiers.New()
		var slow atomic.Bool
		slow.Store(true)
		must(t, s.AddReady("slow at first", instant(func() check.Result {
			if slow.Swap(false) {
				time.Sleep(300 * time.Millisecond)
			}
			return check.Result{Status: check.Healthy}
		})))
		go s.Evaluate(t.Context(), tiers.Ready)
		time.Sleep(100 * time.Millisecond)
		late := time.Now()
		s.Evaluate(t.Context(), tiers.Ready)
		time.Sleep(time.Second)
		if _, begun, ok := s.Last(tiers.Ready); !ok || !begun.Equal(late) {
			t.Errorf("began at %v, want %v", begun, late)
		}
	})
}

// TestObserve sees each run once, of checks registered before and after, until
// it is stopped; what is reused is no run.
func TestObserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var first, all, stopped []string
		s := tiers.New(tiers.WithObserver(func(sample check.Sample) { first = append(first, sample.Name+" "+sample.Outcome.String()) }))
		must(t, s.AddReady("a", always(check.Result{Err: errors.New("x")})))
		s.Observe(nil)()
		s.Observe(func(check.Sample) { panic(canary) })
		s.Observe(func(sample check.Sample) {
			all = append(all, sample.Name)
			s.CheckStates() // may call back
			s.TierStates()
		})
		stop := s.Observe(func(sample check.Sample) { stopped = append(stopped, sample.Name) })
		evaluate := func() {
			s.Evaluate(t.Context(), tiers.Ready)
			synctest.Wait()
		}
		evaluate()
		evaluate() // reused
		time.Sleep(time.Second)
		stop()
		stop()
		evaluate()
		time.Sleep(time.Second)
		must(t, s.AddReady("b", check.Func(func(context.Context) check.Result {
			time.Sleep(time.Second) // past its limit
			return check.Result{}
		})))
		evaluate()
		time.Sleep(time.Second)
		if diff := cmp.Diff([]string{"a failed", "a failed", "a failed", "b timeout"}, first); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"a", "a", "a", "b"}, all); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"a"}, stopped); diff != "" {
			t.Error(diff)
		}
	})
}
