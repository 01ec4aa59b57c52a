package tiers

import (
	"math"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// Last returns the newest report of a tier and the time at which its evaluation
// began, without running anything: false is "never evaluated". That of a set
// that drains says so, whenever it was made. The live tier is never evaluated.
// The report is the caller's to change, all but the Data maps.
func (s *Set) Last(t Tier) (report Report, begun time.Time, ok bool) {
	e := s.lastOf(t)
	if e == nil {
		return Report{}, time.Time{}, false
	}
	return e.report.clone(), e.begun, true
}

// lastOf is Last without the copy; nil is "never evaluated".
func (s *Set) lastOf(t Tier) *evaluated {
	i := t.index()
	if s == nil || i < 0 {
		return nil
	}
	e := s.last[i].Load()
	if e != nil && s.draining.Load() && (t == Ready || t == Active) {
		return &evaluated{report: e.report.withDraining(), begun: e.begun}
	}
	return e
}

// TierState is what is known of one tier without running anything.
type TierState struct {
	Tier Tier
	// Checks is how many checks carry the tier's tag.
	Checks int
	// Status is the newest report's, valid while Known.
	Status check.Status
	// Known tells that the tier was evaluated, by a probe or by Run, within its
	// maximum age: check.DefaultMaxAge, or three refresh intervals where those
	// are longer. What is not known is exported as such, never as a status. Of a
	// set that drains the ready and the active tier are known to be Unhealthy.
	Known bool
	// Evaluated is when the newest evaluation began, zero when there is none.
	Evaluated time.Time
}

// CheckState is what is known of one check without running anything.
type CheckState struct {
	Name string
	// Tiers lists the tiers that the check is on, in their fixed order.
	Tiers []Tier
	// Status is that of the newest sample, valid while Known.
	Status check.Status
	// Known tells that the newest sample is not older than the check's maximum
	// age, or that its run is hung right now.
	Known bool
	// Sampled is when the newest run started, zero when there was none.
	Sampled time.Time
	// Hung is how many runs are past their limit and have not returned.
	Hung int
}

// TierStates returns the state of the ready and the active tier, and of those
// opt-in tiers that have checks or a handler, in the fixed order. It is for
// exporters: it runs nothing and waits for nothing.
func (s *Set) TierStates() []TierState {
	if s == nil {
		return nil
	}
	now, maxAge := s.clock().Now(), s.maxAge()
	reg := s.registry()
	states := make([]TierState, 0, len(order))
	for i, t := range order {
		if !s.inUse(t) {
			continue
		}
		state := TierState{Tier: t, Checks: len(reg.runners[i])}
		if e := s.lastOf(t); e != nil {
			state.Status = e.report.Status
			state.Known = now.Sub(e.begun) <= maxAge
			state.Evaluated = e.begun
		}
		if s.draining.Load() && (t == Ready || t == Active) {
			state.Status, state.Known = check.Unhealthy, true
		}
		states = append(states, state)
	}
	return states
}

// CheckStates returns the state of every check, in the order of their names.
// It is for exporters: it runs nothing and waits for nothing.
func (s *Set) CheckStates() []CheckState {
	reg := s.registry()
	states := make([]CheckState, 0, len(reg.members))
	for _, m := range reg.members {
		state := CheckState{Name: m.runner.Name(), Tiers: m.tiers.list(), Hung: m.runner.Hung()}
		if sample, ok := m.runner.Last(); ok {
			state.Status = sample.Result.Status.Known()
			state.Known = !sample.Expired
			state.Sampled = sample.Started
		}
		states = append(states, state)
	}
	return states
}

// inUse tells whether a tier is evaluated by Run and shown to exporters.
func (s *Set) inUse(t Tier) bool {
	switch t {
	case Ready, Active:
		return true
	case Live:
		return false // it has nothing to evaluate
	}
	return s.hasChecks(t) || tierMask(s.served.Load()).has(t)
}

func (s *Set) hasChecks(t Tier) bool { return len(s.registry().runners[t.index()]) > 0 }

// maxAge is the age past which a tier's report is not known to hold.
func (s *Set) maxAge() time.Duration {
	every := s.refreshEvery()
	if every > math.MaxInt64/3 {
		return math.MaxInt64
	}
	return max(check.DefaultMaxAge, 3*every)
}
