package warm

import (
	"context"
	"errors"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/stream"
)

// The loops, as they are called on the board.
const (
	loopAlarms  = "alarms"
	loopEmit    = "emit"
	loopHistory = "history"
)

const (
	// pace is how often a loop looks when there was nothing to do.
	pace = 20 * time.Millisecond
	// patience is how long one request to a server may take, so that a loop
	// goes round in time whatever the server does.
	patience = time.Second
)

// evaluate reads the input from its beginning and evaluates alarms, on every node
// alike and behind no gate: that is what keeps the standby warm (S4.33). Each
// transition is left for emit.
func (n *Node) evaluate(ctx context.Context) error {
	next := uint64(1)
	for ctx.Err() == nil {
		found, err := n.evaluateOne(ctx, &next)
		switch {
		case err != nil:
			n.loops[loopAlarms].Beat() // round it went, with nothing
			n.config.Log.Debug("no input", "error", err)
			wait(ctx, pace)
		case !found:
			n.loops[loopAlarms].BeatLag(0)
			wait(ctx, pace)
		default:
			n.loops[loopAlarms].Beat()
			n.loops[loopAlarms].SetPosition(int64(next - 1))
		}
	}
	return ctx.Err()
}

func (n *Node) evaluateOne(ctx context.Context, next *uint64) (found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	seq, reading, found, err := n.streams.Reading(ctx, *next)
	if errors.Is(err, stream.ErrUnreadable) {
		n.config.Log.Warn("a reading was left out", "error", err)
		*next = seq + 1 // else no alarm would ever be evaluated again
		return true, nil
	}
	if !found || err != nil {
		return false, err
	}
	*next = seq + 1
	n.space.Set(reading.Tag, reading.Value)
	if t, changed := n.alarms.Take(seq, reading); changed {
		n.pending.add(t)
	}
	return true, nil
}

// wait waits for so long, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
