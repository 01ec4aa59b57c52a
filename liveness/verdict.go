package liveness

import (
	"strconv"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// elapsedStep is what the times in texts are rounded to.
const elapsedStep = 100 * time.Millisecond

// Verdict is what a policy makes of one observation. It repeats no facts: All
// tells both.
type Verdict struct {
	// Key is the processor's key on its board.
	Key string
	// Worker names the member of a pool that the verdict is about. It is empty
	// when that is the processor's own line, and when the verdict is Healthy.
	Worker string
	// Age is how old the oldest beat is that must be followed by another, so of
	// the lines that are Running. With none in Running it is the age of the line
	// that decided.
	Age time.Duration
	// Bound is what the silence, or the unit of work, is measured against:
	// StaleAfter in Running and when starved, the unit's limit in Busy,
	// StartWithin in Unreported. Zero when nothing is measured.
	Bound time.Duration
	// Busy is how long the oldest unit of work has gone on without a beat. Zero
	// when none is in progress.
	Busy time.Duration
	// Behind is the lag in events where the reason is about it: stalled, starved
	// or lagging.
	Behind int64

	Status check.Status
	Reason Reason
	// State is that of the line that decided.
	State board.State
}

// Text says the verdict in a sentence for people (S5.14-S5.16). It names the
// processor and holds no cause, so it may be shown to any client. It allocates.
func (v Verdict) Text() string {
	b := make([]byte, 0, 128)
	b = append(b, "Processor '"...)
	b = append(b, v.Key...)
	b = append(b, '\'')
	if v.Worker != "" {
		b = append(b, " worker '"...)
		b = append(b, v.Worker...)
		b = append(b, '\'')
	}
	switch v.Reason {
	case Faulted:
		b = append(b, " faulted and stopped"...)
	case NeverStarted:
		b = append(b, " did not start within "...)
		b = appendElapsed(b, v.Bound)
	case Stuck:
		b = append(b, " has been busy for "...)
		b = appendElapsed(b, v.Busy)
		b = append(b, ", limit "...)
		b = appendElapsed(b, v.Bound)
		b = append(b, " — possible wedge"...)
	case Stale:
		b = append(b, " last reported "...)
		b = appendElapsed(b, v.Age)
		b = append(b, " ago — possible wedge"...)
	case ObserverLate:
		if v.State == board.Unreported {
			b = append(b, " has not reported for "...)
			b = appendElapsed(b, v.silence())
		} else {
			b = append(b, " last reported "...)
			b = appendElapsed(b, v.silence())
			b = append(b, " ago"...)
		}
		b = append(b, " — the observer was late"...)
	case Stalled:
		b = append(b, " does not move and is "...)
		b = appendBehind(b, v.Behind)
	case Starved:
		b = append(b, " waits for input and is "...)
		b = appendBehind(b, v.Behind)
	case Lagging:
		b = append(b, " is "...)
		b = appendBehind(b, v.Behind)
	case Unreported:
		b = append(b, " has not reported"...)
	case Running, Idle, Busy, Paused, Stopped:
		b = append(b, " is "...)
		b = append(b, v.Reason.String()...)
	case Standby:
		b = append(b, " is on standby"...)
	default:
		b = append(b, ": "...)
		b = append(b, v.Reason.String()...)
	}
	return string(b)
}

// silence is how long the line that decided has said nothing.
func (v *Verdict) silence() time.Duration {
	if v.State == board.Busy {
		return v.Busy
	}
	return v.Age
}

func appendElapsed(b []byte, d time.Duration) []byte {
	return append(b, d.Round(elapsedStep).String()...)
}

func appendBehind(b []byte, lag int64) []byte {
	b = strconv.AppendInt(b, lag, 10)
	return append(b, " events behind"...)
}
