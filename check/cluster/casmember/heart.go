package casmember

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// heart keeps the record of this node alive, and makes it anew when it is gone.
func (n *Node) heart(ctx context.Context) error {
	calls, cancel := context.WithCancel(ctx)
	defer cancel()
	n.mu.Lock()
	n.hurry = cancel
	if n.demoted {
		cancel()
	}
	n.mu.Unlock()
	for failures := 0; ; {
		var wait time.Duration
		wait, failures = n.beat(calls, failures)
		select { // what has come first is done first, but for the next beat
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-n.leaving:
			return n.depart(ctx)
		default:
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-n.leaving:
			return n.depart(ctx)
		case <-n.kick:
		case <-time.After(wait):
		}
	}
}

// beat makes one call for the record, and returns when the next one is due and
// how many have failed since the last that was acknowledged.
func (n *Node) beat(ctx context.Context, failures int) (time.Duration, int) {
	read := n.inDoubt()
	var err error
	if read {
		err = n.read(ctx)
	} else {
		err = n.write(ctx)
	}
	if ctx.Err() == nil {
		n.log.outcome("heartbeat", err)
	}
	switch {
	case errors.Is(err, ErrGone):
		n.rejoin()
	case err == nil && !read:
		return n.untilNextBeat(), 0
	case err == nil:
		return 0, failures
	}
	if failures == 0 {
		return 0, 1
	}
	return n.config.pause(), failures + 1
}

// inDoubt tells whether the record must be read before it is written (F4).
func (n *Node) inDoubt() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.life.doubt
}

// write sends the record as it should be now.
func (n *Node) write(ctx context.Context) error {
	n.mu.Lock()
	now := n.clock.Now()
	r := n.life.next(n.upIsDue(now))
	name, revision := n.life.name, n.life.revision
	n.mu.Unlock()

	value, err := r.encode()
	if err != nil {
		return err
	}
	sent := n.clock.Now() // before the driver is asked (F3)
	var written uint64
	err = n.bounded(ctx, func(ctx context.Context) (err error) {
		if revision == 0 {
			written, err = n.kv.Create(ctx, name, value)
		} else {
			written, err = n.kv.Update(ctx, name, value, revision)
		}
		return err
	})

	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil {
		n.life.fail()
		return err
	}
	n.acknowledged(sent, written)
	return nil
}

// acknowledged takes that the engine has taken a write. The caller holds the
// mutex.
func (n *Node) acknowledged(sent cluster.Instant, revision uint64) {
	now := n.clock.Now()
	if now >= n.life.fence {
		n.awake = now
		nudge(n.stir)
	}
	if n.unseenRevision == 0 {
		n.unseen, n.unseenRevision = now, revision
	}
	n.life.acknowledge(sent, n.config.claim(), revision)
	n.publish(now)
}

// read finds out which revision the record has.
func (n *Node) read(ctx context.Context) error {
	revision, err := n.look(ctx, n.life.name)
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.life.found(revision)
	return nil
}

// look asks the engine for the revision of a record.
func (n *Node) look(ctx context.Context, name string) (revision uint64, err error) {
	err = n.bounded(ctx, func(ctx context.Context) (err error) {
		revision, err = n.kv.Get(ctx, name)
		return err
	})
	return revision, err
}

// rejoin begins a new life: the record of the last one is gone for certain, and
// a record that came back would come back at its old age.
func (n *Node) rejoin() {
	n.mu.Lock()
	last := n.life.record
	n.begin()
	n.publish(n.clock.Now())
	n.mu.Unlock()
	n.log.line(slog.LevelWarn, "the record of this node is gone, it joins again", "was", last.status.String(), "age", last.age)
}

// untilNextBeat is when the next heartbeat is due. A node that may become Up
// earlier does so.
func (n *Node) untilNextBeat() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	next := n.life.confirmed.Add(n.config.heartbeat())
	if n.life.record.status == cluster.Joining && n.roster.synced {
		next = min(next, n.roster.since.Add(n.config.TTL))
	}
	return max(next.Sub(n.clock.Now()), 0)
}

// sleep waits, and tells whether the context goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
