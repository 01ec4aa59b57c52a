package casmember

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// errNotRunning is what Leave returns when Run has ended otherwise.
var errNotRunning = errors.New("casmember: leave: the node is not running any more")

// farewell is one leave, of which there is at most one in the life of a Node.
type farewell struct {
	ctx    context.Context // handed from Leave to the heart, which does the work
	reason error           // what Run returns when it is done; nil when the user asked
	done   chan struct{}
	err    error // valid when done is closed
}

// Leave ends the node's membership gracefully (F7): it stops being active at
// once, lets the work that was begun run until it is done or the fence and the
// Margin have passed, and then tells the others, who go on without waiting for a
// TTL. Run returns after it.
//
// When ctx ends first, Leave returns an error and gives up: the node stays
// demoted, Run returns, and the others evict its record. Leaving again waits for
// the leave that is under way.
func (n *Node) Leave(ctx context.Context) error {
	if n == nil || n.kv == nil {
		return errNotRunning
	}
	if ctx == nil {
		return errors.New("casmember: leave: context nil: must not be nil")
	}
	f := n.part(ctx, nil)
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
	}
	return fmt.Errorf("casmember: leave: %w", context.Cause(ctx))
}

// part demotes the node and has the heart tell the others.
func (n *Node) part(ctx context.Context, reason error) *farewell {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.farewell != nil {
		return n.farewell
	}
	f := &farewell{ctx: ctx, reason: reason, done: make(chan struct{}), err: errNotRunning}
	n.farewell, n.demoted = f, true
	if n.stage == idle {
		f.err = nil // it never joined, and never will
	}
	if n.stage != running {
		close(f.done)
	}
	close(n.leaving)
	if n.hurry != nil {
		n.hurry() // a heartbeat under way is not waited for
	}
	n.publish(n.clock.Now())
	return f
}

// depart tells the others that this node goes, once its work is done. It runs in
// the heart, so that nothing else writes the record.
func (n *Node) depart(ctx context.Context) error {
	f := n.farewell
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(f.ctx, func() { cancel(context.Cause(f.ctx)) })()

	n.drain(ctx)
	for _, status := range []cluster.Status{cluster.Leaving, cluster.Exiting, cluster.Removed} {
		if !n.tell(ctx, status) {
			f.err = fmt.Errorf("casmember: leave: %w", context.Cause(ctx))
			return errors.Join(f.reason, f.err)
		}
	}
	f.err = nil
	return f.reason
}

// drain waits for the work that was begun before the node was demoted. Its claim
// ends at the fence; the margin behind it is for work that is late to notice, as
// it would be if the others had to find out by themselves.
func (n *Node) drain(ctx context.Context) {
	n.mu.Lock()
	end := n.life.fence.Add(n.config.Margin)
	n.mu.Unlock()
	for n.work.running.Load() > 0 {
		left := end.Sub(n.clock.Now())
		if left <= 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-n.work.drained:
		case <-time.After(max(left, shortestWait)):
		}
	}
}

// tell writes the status, or deletes the record when it is Removed. After a
// failure it reads before it tries again, and a record that is gone needs no
// farewell. It returns false when the context has ended.
func (n *Node) tell(ctx context.Context, status cluster.Status) (told bool) {
	n.mu.Lock()
	n.life.record.status = status
	n.mu.Unlock()
	for ctx.Err() == nil {
		err := n.say(ctx, status)
		n.log.outcome("leaving", err)
		if err == nil || errors.Is(err, ErrGone) {
			return true
		}
		if !sleep(ctx, n.config.pause()) {
			break
		}
	}
	return false
}

// say makes one attempt: a read where the last write is in doubt, and the write.
func (n *Node) say(ctx context.Context, status cluster.Status) error {
	if n.inDoubt() {
		if err := n.read(ctx); err != nil {
			return err
		}
	}
	n.mu.Lock()
	name, revision := n.life.name, n.life.revision
	n.mu.Unlock()
	switch {
	case revision == 0:
		return ErrGone // never created
	case status != cluster.Removed:
		return n.write(ctx)
	}
	err := n.bounded(ctx, func(ctx context.Context) error { return n.kv.Delete(ctx, name, revision) })
	if err != nil {
		n.mu.Lock()
		n.life.fail()
		n.mu.Unlock()
	}
	return err
}
