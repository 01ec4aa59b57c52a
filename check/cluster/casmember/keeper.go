package casmember

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// keep evicts the members that are silent, and publishes what time alone
// changes.
func (n *Node) keep(ctx context.Context) error {
	for ctx.Err() == nil {
		n.meetTwin(ctx)
		target, wait := n.survey()
		if target.name != "" {
			n.evict(ctx, target)
			continue
		}
		select {
		case <-ctx.Done():
		case <-n.stir:
		case <-time.After(wait):
		}
	}
	return context.Cause(ctx)
}

// target is a record to evict, at the revision that was silent.
type target struct {
	name     string
	revision uint64
	age      uint64
	key      cluster.Key
}

// shortestWait keeps the keeper from spinning before a clock that is slower than
// the timers.
const shortestWait = time.Millisecond

// survey looks at all members, and returns the oldest one to evict or how long
// there is nothing to do.
func (n *Node) survey() (t target, wait time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.clock.Now()
	next := now.Add(n.config.heartbeat())
	at := func(when cluster.Instant) (due bool) {
		if when > now {
			next = min(next, when)
		}
		return when <= now
	}
	if n.unseenRevision != 0 && at(n.unseen.Add(n.patience)) && n.rewatch != nil {
		n.rewatch()
		n.unseen, n.patience = now, 2*n.patience // a list that takes long must have its time one day
	}
	mayEvict := now < n.life.fence && !n.demoted && !n.ended
	for name, x := range n.roster.entries {
		switch {
		case x.gone:
			at(x.hold)
		case name == n.life.name:
			at(x.reachable())
			at(n.witnessed())
		default:
			at(x.reachable())
			silent := max(x.silent(n.config.TTL, n.awake), x.retryAt)
			if mayEvict && at(silent) && (t.name == "" || x.record.age < t.age) {
				t = target{name: name, revision: x.revision, age: x.record.age, key: x.record.key}
			}
		}
	}
	if n.stale(now) {
		n.publish(now)
	}
	return t, max(next.Sub(now), shortestWait)
}

// evict deletes a silent record, if it still has that revision (F5). Whatever
// else the engine answers is followed by a read.
func (n *Node) evict(ctx context.Context, t target) {
	err := n.bounded(ctx, func(ctx context.Context) error {
		return n.kv.Delete(ctx, t.name, t.revision)
	})
	var revision uint64
	deleted := err == nil
	if err != nil && !errors.Is(err, ErrGone) {
		refused := err
		if revision, err = n.look(ctx, t.name); err == nil && !errors.Is(refused, ErrConflict) {
			err = refused // for the log: the record is there, and should not be
		}
	}
	n.settle(t, deleted, errors.Is(err, ErrGone), revision)
	if deleted {
		n.log.line(slog.LevelWarn, "evicted a member that was silent", "address", t.key.Address, "incarnation", t.key.Incarnation)
	}
	if errors.Is(err, ErrGone) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", t.key.Address, err)
	}
	n.log.outcome("eviction", err)
}

// settle takes what became of an eviction.
func (n *Node) settle(t target, deleted, gone bool, revision uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.clock.Now()
	x := n.roster.entries[t.name]
	switch {
	case x == nil:
		return
	case deleted:
		x.remove(now, now) // nothing newer was there, and that was silent for long enough
	case x.gone:
		return
	case gone:
		// Another node was faster, or an operator. The watch will tell; until it
		// does, the record may have been newer than this node knows.
		x.vanish(now)
	case revision > x.revision:
		x.renew(now, revision)
		return
	default:
		x.retryAt = now.Add(n.config.pause())
		return
	}
	n.publish(now)
}
