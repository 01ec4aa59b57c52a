package resubscribe

import (
	"math"
	"time"
)

// Never is the wait of a Guard that has nothing to do until it is told something.
const Never time.Duration = math.MaxInt64

// Attempt is one request. The zero Attempt is none.
type Attempt struct {
	// ID is the number of the attempt: from 1 on, and never used again by the same
	// Guard. On the wire, where answers can outlive the process, it needs something
	// beside it that tells the process.
	ID uint64
	// Epoch is the number of the connection: from 1 on, one more with each Restore.
	Epoch uint64
	// Sent is when it began.
	Sent time.Time
}

// ledger is the state of a Guard and all its rules. It is pure: it knows the time only
// as an argument, and says what happened in what it returns.
type ledger struct {
	backoff Backoff // settled
	ceiling time.Duration

	attempt  Attempt       // the newest
	inFlight bool          // it has not ended
	delay    time.Duration // armed when it was sent, and again when it fails
	spread   time.Duration // by how much the next one is later when it is lost

	wanted  bool      // there is something to subscribe
	anew    bool      // and there will be when the attempt in flight has succeeded
	due     time.Time // the next attempt does not begin before
	stopped bool

	epoch      uint64
	failures   int // attempts in a row that brought nothing
	losses     int // presumed losses in a row, which any answer ends
	sends      uint64
	lost       uint64
	answered   uint64 // attempts that succeeded or failed
	generation uint64 // one more with each change, so that a tick can tell (X28)
}

func newLedger(c Config) ledger {
	return ledger{backoff: c.backoff(), ceiling: c.Ceiling, wanted: true, epoch: 1}
}

// change notes that what was armed before is out of date.
func (l *ledger) change() { l.generation++ }

// presume gives the attempt in flight up when it has reached the ceiling, and tells
// whether it did. The next may begin then: a request that nothing answers is repeated
// at the pace of the ceiling, which a long back-off must not oversleep (X22). Only a
// part of the floor is left to chance, so that guards whose gateway stalls do not
// repeat themselves all at once.
func (l *ledger) presume(now time.Time) bool {
	if !l.inFlight || now.Sub(l.attempt.Sent) < l.ceiling {
		return false
	}
	l.inFlight = false
	l.wanted, l.anew = true, false
	l.failures++
	l.losses++
	l.lost++
	l.due = l.spaced(l.attempt.Sent.Add(l.ceiling).Add(l.spread))
	l.change()
	return true
}

// begin begins an attempt if one may begin now (S3.2).
func (l *ledger) begin(now time.Time, random float64) (Attempt, bool) {
	if l.inFlight || !l.wanted || now.Before(l.due) {
		return Attempt{}, false
	}
	l.attempt = Attempt{ID: l.attempt.ID + 1, Epoch: l.epoch, Sent: now}
	l.inFlight = true
	l.delay = l.backoff.next(l.failures+1, random)
	l.spread = share(random, share(l.backoff.Jitter, l.backoff.Floor))
	l.sends++
	l.change()
	return l.attempt, true
}

// wait is for how long nothing needs to be done, if nothing is told meanwhile. While an
// attempt is in flight that is the smaller of its delay and the time left under the
// ceiling (X22).
func (l *ledger) wait(now time.Time) time.Duration {
	switch {
	case l.inFlight:
		return max(0, min(l.delay, l.ceiling-now.Sub(l.attempt.Sent)))
	case !l.wanted:
		return Never
	}
	return max(0, l.due.Sub(now))
}

// succeed ends the attempt: the delay is the floor again and nothing is wanted any
// more, so that a tick that was under way sends nothing (S3.5).
func (l *ledger) succeed(now time.Time, id uint64) bool {
	if !l.answers(id) {
		return false
	}
	l.inFlight = false
	l.wanted, l.anew = l.anew, false
	l.failures, l.losses = 0, 0
	l.answered++
	l.due = l.spaced(now)
	l.change()
	return true
}

// fail ends the attempt: the next begins after the delay that was armed for this one
// (S3.6).
func (l *ledger) fail(now time.Time, id uint64) bool {
	if !l.answers(id) {
		return false
	}
	l.inFlight = false
	l.wanted, l.anew = true, false
	l.failures++
	l.losses = 0
	l.answered++
	l.due = l.spaced(now.Add(l.delay))
	l.change()
	return true
}

// answers tells whether id is that of the attempt in flight (S3.9).
func (l *ledger) answers(id uint64) bool { return l.inFlight && id == l.attempt.ID }

// restore begins a new epoch. The attempt of the old connection is superseded, and the
// next may begin at once (S3.10, X23).
func (l *ledger) restore(now time.Time) {
	if l.stopped {
		return
	}
	l.epoch++
	l.inFlight = false
	l.wanted, l.anew = true, false
	l.failures = 0
	l.due = l.spaced(now)
	l.change()
}

// resubscribe makes something wanted again. An attempt in flight may be too early for
// it, so there will be another when that one succeeds. Where an attempt is due anyway
// nothing changes.
func (l *ledger) resubscribe(now time.Time) {
	switch {
	case l.stopped || l.anew || !l.inFlight && l.wanted:
		return
	case l.inFlight:
		l.anew = true
	default:
		l.wanted, l.due = true, l.spaced(now)
	}
	l.change()
}

// stop ends it all: nothing is wanted any more, and nothing makes it so (S3.11).
func (l *ledger) stop() {
	l.stopped = true
	l.inFlight, l.wanted, l.anew = false, false, false
	l.change()
}

// spaced returns t, or when a floor has passed since the last attempt if that is later.
func (l *ledger) spaced(t time.Time) time.Time {
	if l.sends == 0 {
		return t
	}
	if floor := l.attempt.Sent.Add(l.backoff.Floor); t.Before(floor) {
		return floor
	}
	return t
}

// current is the delay in force: that of the newest attempt while it matters.
func (l *ledger) current() time.Duration {
	if l.failures == 0 && !l.inFlight {
		return l.backoff.Floor
	}
	return l.delay
}
