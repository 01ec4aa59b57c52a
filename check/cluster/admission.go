package cluster

import (
	"fmt"
	"time"
)

// admission is work that was let in: counted, and decided on at now.
type admission struct {
	// began is taken before now on the clock of timers, so a pause between the
	// two, or after them, ends the work early and not late.
	began    time.Time
	now      Instant
	decision Decision
	done     func()
}

// unbounded tells whether the work has no fence: the node works alone.
func (a admission) unbounded() bool { return a.decision.Reason == ReasonNotClustered }

// deadline is the fence on the clock of timers.
func (a admission) deadline() time.Time { return a.began.Add(a.decision.ValidUntil.Sub(a.now)) }

// admit counts the work and then decides. In the other order a source could give
// up the role between the two, see no work to wait for, and hand over while the
// work begins.
func (g *Gate) admit() (admission, error) {
	if g == nil {
		return admission{}, notActive(Decision{})
	}
	done, err := track(g.src)
	if err != nil {
		return admission{}, err
	}
	began := time.Now()
	now, v, _ := read(g.src)
	d := Decide(v, now, g.rolePreference...)
	if !d.Active {
		done()
		return admission{}, notActive(d)
	}
	return admission{began: began, now: now, decision: d, done: done}, nil
}

// track counts a piece of work where the source wants to know.
func track(src Source) (done func(), err error) {
	tracker, ok := src.(Tracker)
	if !ok {
		return func() {}, nil
	}
	defer func() {
		if p := recover(); p != nil {
			done, err = nil, fmt.Errorf("%w: the source panicked: %v", ErrNotActive, p)
		}
	}()
	counted := tracker.Track()
	if counted == nil {
		return func() {}, nil
	}
	return func() {
		defer func() { _ = recover() }()
		counted()
	}, nil
}
