package casmember

import (
	"context"
	"errors"
	"sync"
)

var (
	errRanBefore = errors.New("casmember: run: a node runs once, and leaves once")
	errNoNode    = errors.New("casmember: run: the node was not made by New")
	errNoContext = errors.New("casmember: run: context nil: must not be nil")
	errLoopEnded = errors.New("casmember: the engine's driver ended a goroutine of the node")
)

// Run joins the cluster and keeps the node in it: it heartbeats, watches, and
// evicts members that are silent. An engine that cannot be reached, now or
// later, is tried again for as long as it takes; the reason goes to the log.
//
// Run returns nil after Leave. When ctx ends it returns the cause of that; the
// node's claim has ended at once, and its record is left to the others. It
// returns an error that names the address when another node is alive at the same
// address and older. All that Run has started has ended when it returns, so a
// driver that does not heed its context keeps it from returning, and from
// nothing else. A Node runs once.
func (n *Node) Run(ctx context.Context) error {
	if n == nil || n.kv == nil {
		return errNoNode
	}
	if ctx == nil {
		return errNoContext
	}
	if err := n.start(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(ctx, n.end)
	var loops sync.WaitGroup
	for _, loop := range []func(context.Context) error{n.heart, n.follow, n.keep} {
		loops.Go(func() {
			err := errLoopEnded // unless it returns
			defer func() { cancel(err) }()
			if err = loop(ctx); err == nil {
				err = errLeft
			}
		})
	}
	loops.Wait()
	stop()
	n.finish()
	if cause := context.Cause(ctx); !errors.Is(cause, errLeft) {
		return cause
	}
	return nil
}

// errLeft is the cause for which the loops end after a leave.
var errLeft = errors.New("casmember: left")

// start takes the one run that a Node has.
func (n *Node) start() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stage != idle || n.farewell != nil {
		return errRanBefore
	}
	n.stage = running
	return nil
}

// end takes every claim back at once, however long the loops need to notice.
func (n *Node) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
	n.publish(n.clock.Now())
}

// finish lets those go who wait for a leave.
func (n *Node) finish() {
	n.end()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stage = over
	if f := n.farewell; f != nil {
		close(f.done)
	}
}
