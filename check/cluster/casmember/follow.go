package casmember

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/loopvitals/loopvitals/check/cluster"
)

var (
	// errWatchEnded is the reason when a watch ends without one.
	errWatchEnded = errors.New("the watch ended")
	// errWatchStalled is why this node ends a watch that does not show its own
	// writes, and so shows nothing.
	errWatchStalled = errors.New("the watch does not show what this node has written")
)

// follow keeps a watch running.
func (n *Node) follow(ctx context.Context) error {
	for {
		err := n.watch(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			err = errWatchEnded
		}
		n.log.outcome("watch", err)
		if !sleep(ctx, n.config.pause()) {
			return context.Cause(ctx)
		}
	}
}

// watch runs one watch until it breaks, or is ended by rewatch.
func (n *Node) watch(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	n.mu.Lock()
	n.rewatch = func() { cancel(errWatchStalled) }
	n.roster.restart()
	n.mu.Unlock()
	var broken atomic.Bool
	defer broken.Store(true)
	err := contain(func() error {
		return n.kv.Watch(ctx, func(e Event) {
			if !broken.Load() { // a driver that goes on talking belongs to the past
				n.hear(e)
			}
		})
	})
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// hear takes one event of the watch.
func (n *Node) hear(e Event) {
	unreadable, synced := n.take(e)
	if unreadable != nil {
		n.log.outcome("reading a record", fmt.Errorf("%s: %w", e.Key, unreadable))
	}
	if synced {
		n.log.outcome("watch", nil)
	}
}

// take changes the roster, and publishes what has become of it.
func (n *Node) take(e Event) (unreadable error, synced bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.clock.Now()
	unreadable = n.roster.apply(now, e)
	if n.roster.listing != nil || n.roster.deaf {
		return unreadable, false // nothing of it counts yet
	}
	n.recognize(now)
	n.publish(now)
	if n.roster.urgent {
		n.roster.urgent = false
		nudge(n.stir)
	}
	return unreadable, e.Kind == Synced
}

// recognize looks what the watch has shown of this node itself. While it does not
// show it as Up, as a list of an old state may not, it does not vouch for those who
// were Up before it either, and has to do so anew.
func (n *Node) recognize(now cluster.Instant) {
	x := n.roster.entries[n.life.name]
	if x == nil || x.gone || x.record.status != cluster.Up {
		n.life.entered = false
	}
	switch {
	case x == nil:
		return
	case x.gone:
		nudge(n.kick) // the next write will show what has become of the record
		return
	}
	if x.revision >= n.unseenRevision {
		n.unseenRevision, n.patience = 0, n.config.TTL
	}
	if x.record.status == cluster.Up && !n.life.entered {
		n.life.entered, n.life.witness, n.roster.urgent = true, n.roster.since, true
	}
}
