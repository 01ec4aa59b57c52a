package resubscribe

import "time"

// State is what a Guard knows and has counted, for exporters and people.
type State struct {
	// InFlight is whether an attempt has neither ended nor been given up, and
	// OldestAge its age, 0 without one. It is above the ceiling only where nobody
	// has called Begin since.
	InFlight  bool
	OldestAge time.Duration
	// Sends is how many attempts have begun, and PresumedLost how many of them had
	// no answer up to the ceiling.
	Sends, PresumedLost uint64
	// Backoff is the delay in force: that of the newest attempt until one succeeds
	// or the connection is restored, and the floor from then on.
	Backoff time.Duration
	// Epoch is the number of the connection.
	Epoch uint64
	// NextIn is in how long the next attempt may begin, valid while NextKnown: none
	// is in flight, and one is to come.
	NextIn    time.Duration
	NextKnown bool
}

// State returns what is known now. That of a nil or zero Guard is the zero State. Cost:
// a lock.
func (g *Guard) State() State {
	if !g.made() {
		return State{}
	}
	return g.view().State
}

// view is a State with what only the check tells.
type view struct {
	State
	phase  phase
	losses int // presumed losses in a row
	full   bool
}

// view is that of a Guard that was made.
func (g *Guard) view() view {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, l := time.Now(), &g.ledger
	v := view{
		State: State{
			InFlight:     l.inFlight,
			Sends:        l.sends,
			PresumedLost: l.lost,
			Backoff:      l.current(),
			Epoch:        l.epoch,
		},
		phase:  l.phase(),
		losses: l.losses,
		full:   g.full,
	}
	switch v.phase {
	case phaseInFlight:
		v.OldestAge = now.Sub(l.attempt.Sent)
	case phaseWaiting:
		v.NextIn, v.NextKnown = l.wait(now), true
	case phaseSubscribed, phaseStopped:
	}
	return v
}

// phase is what a Guard does.
type phase uint8

const (
	phaseWaiting phase = iota
	phaseInFlight
	phaseSubscribed
	phaseStopped
)

// String returns the phase as the check shows it.
func (p phase) String() string {
	return [...]string{"waiting to subscribe", "subscribing", "subscribed", "stopped"}[p]
}

// phase is that of the ledger.
func (l *ledger) phase() phase {
	switch {
	case l.stopped:
		return phaseStopped
	case l.inFlight:
		return phaseInFlight
	case l.wanted:
		return phaseWaiting
	}
	return phaseSubscribed
}
