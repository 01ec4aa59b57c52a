package liveness

import (
	"fmt"
	"math"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

const (
	// minStaleAfter is the least default StaleAfter (S5.21).
	minStaleAfter = 5 * time.Second
	// staleIntervals is the default StaleAfter in intervals (S5.21).
	staleIntervals = 5
)

// Policy is what makes a processor unhealthy. The zero Policy is the default
// one. A zero field is "not set"; NewMonitor refuses a negative one (X30).
//
// A bound on the turns of a loop that is shorter than the loop's interval could
// only fire falsely: NewMonitor refuses it for the processors that it finds,
// and for one that is registered later the interval itself is the bound.
type Policy struct {
	// StaleAfter is how old the last beat may be; older, strictly, is stale
	// (S5.15). Zero is max(5 x Interval, 5 s) (S5.21). An Idle loop with lag
	// starves after the same time.
	StaleAfter time.Duration
	// BusyLimit is how long one unit of work may take, counted from Busy or
	// from the last beat inside the unit. Zero is StaleAfter. The limit of a
	// BusyFor goes before it. It bounds a unit and not a turn, so it may be
	// shorter than the interval.
	BusyLimit time.Duration
	// StartWithin is how long a processor may stay unreported after its
	// registration or restart. Zero is for ever, the right choice for a loop
	// that waits for a lease (S5.13, X4).
	StartWithin time.Duration
	// StalledAfter is how long the position may stay as it is while there is
	// lag. Zero is for ever.
	StalledAfter time.Duration
	// DegradedLag is the most lag, in events, that is still healthy. Zero is
	// any lag (S5.22); 10 000 is a good first value. It does not apply to
	// rebuilds (S5.17).
	DegradedLag int64
	// RebuildsDegradeOnly makes the worst status of a rebuild Degraded, for an
	// application that serves well without it (X9).
	RebuildsDegradeOnly bool
}

// Resolve returns the bounds that hold for a processor with the given interval:
// p with its defaults filled in, and no bound on a turn shorter than one. What
// is off stays zero. It does not overflow: a bound too long to be expressed is
// the longest Duration.
func (p Policy) Resolve(interval time.Duration) Policy {
	p.BusyLimit = p.busyLimit(interval)
	p.StaleAfter = p.staleAfter(interval)
	p.StartWithin = atLeast(p.StartWithin, interval)
	p.StalledAfter = atLeast(p.StalledAfter, interval)
	p.DegradedLag = max(p.DegradedLag, 0)
	return p
}

func (p *Policy) staleAfter(interval time.Duration) time.Duration {
	switch {
	case p.StaleAfter > 0:
		return max(p.StaleAfter, interval)
	case interval <= minStaleAfter/staleIntervals:
		return minStaleAfter
	case interval > math.MaxInt64/staleIntervals:
		return math.MaxInt64
	}
	return staleIntervals * interval
}

// shortest is the least that staleAfter can be, and the longest interval that
// has it.
func (p *Policy) shortest() (bound, interval time.Duration) {
	if p.StaleAfter > 0 {
		return p.StaleAfter, p.StaleAfter
	}
	return minStaleAfter, minStaleAfter / staleIntervals
}

func (p *Policy) busyLimit(interval time.Duration) time.Duration {
	if p.BusyLimit > 0 {
		return p.BusyLimit
	}
	return p.staleAfter(interval)
}

// limitOf is the limit of the unit that a line works on.
func (p *Policy) limitOf(l *board.Line, interval time.Duration) time.Duration {
	if l.Limit > 0 {
		return l.Limit
	}
	return p.busyLimit(interval)
}

// atLeast returns the bound, and not less than one interval, or zero when the
// bound is off.
func atLeast(bound, interval time.Duration) time.Duration {
	if bound <= 0 {
		return 0
	}
	return max(bound, interval)
}

// validate refuses what has no meaning for any processor.
func (p *Policy) validate() error {
	for _, f := range p.durations() {
		if f.value < 0 {
			return fmt.Errorf("%s %v: must not be negative", f.name, f.value)
		}
	}
	if p.DegradedLag < 0 {
		return fmt.Errorf("DegradedLag %d: must not be negative", p.DegradedLag)
	}
	return nil
}

// fits refuses a bound on a turn that is shorter than the interval.
func (p *Policy) fits(interval time.Duration) error {
	for _, f := range p.durations() {
		if f.perTurn && f.value > 0 && f.value < interval {
			return fmt.Errorf("%s %v: must not be shorter than the interval %v", f.name, f.value, interval)
		}
	}
	return nil
}

// policyField is one duration of a Policy; perTurn says that it bounds the
// turns of the loop.
type policyField struct {
	name    string
	value   time.Duration
	perTurn bool
}

func (p *Policy) durations() [4]policyField {
	return [...]policyField{
		{"StaleAfter", p.StaleAfter, true},
		{"BusyLimit", p.BusyLimit, false},
		{"StartWithin", p.StartWithin, true},
		{"StalledAfter", p.StalledAfter, true},
	}
}
