package redundancytest

import (
	"context"
	"slices"
	"sync"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

// unruly makes of a good Bus one that is only just a Bus: it loses the first of
// three messages, sends the second one twice, and after the third all that it has
// kept, in the wrong order.
type unruly struct {
	redundancy.Bus

	mu   sync.Mutex
	turn int
	kept map[string][][]byte // by topic, the oldest first
}

// unrulyKeeps is how many messages of a topic are sent again.
const unrulyKeeps = 8

func newUnruly(b redundancy.Bus) *unruly { return &unruly{Bus: b, kept: map[string][][]byte{}} }

// Publish publishes what this turn has.
func (u *unruly) Publish(ctx context.Context, topic string, message []byte) error {
	for _, m := range u.next(topic, slices.Clone(message)) {
		if err := u.Bus.Publish(ctx, topic, m); err != nil {
			return err
		}
	}
	return nil
}

func (u *unruly) next(topic string, message []byte) [][]byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	kept := append(u.kept[topic], message)
	kept = kept[max(0, len(kept)-unrulyKeeps):]
	u.kept[topic] = kept
	u.turn++
	switch u.turn % 3 {
	case 1:
		return nil
	case 2:
		return [][]byte{message, message}
	default:
		again := slices.Clone(kept)
		slices.Reverse(again)
		return again
	}
}

// turns is how often the bus was used.
func (u *unruly) turns() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.turn
}
