package redundancy

import (
	"context"
	"errors"
	"time"
)

var (
	errRanBefore = errors.New("redundancy: run: a node runs once")
	errNoNode    = errors.New("redundancy: run: the node was not made by New")
	errNoContext = errors.New("redundancy: run: context nil: must not be nil")
)

// lastOrders is for how long Run waits, at its end, for code of others. Together with
// what a call may take after it was told to end that is less than a second.
const lastOrders = 800 * time.Millisecond

// Run does the work until ctx ends, and then returns nil: it listens to the bus, asks
// the database, probes peers, builds snapshots while it is this node's turn, and shows
// the level. Then the level is that of Down for good, which is published too; the role
// stays with whoever has it in the cluster, which a node leaves on its own.
//
// Run returns within a second of the end of ctx, also when code of the user's blocks;
// nothing but that is left behind. It returns an error when it cannot go on: such code
// ended a goroutine that was not its own. A Node runs once.
func (n *Node) Run(ctx context.Context) error {
	if n == nil || n.gate == nil {
		return errNoNode
	}
	if ctx == nil {
		return errNoContext
	}
	if !n.levels.begin() {
		return errRanBefore
	}
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for _, loop := range []func(context.Context){n.follow, n.listen, n.askDatabase} {
		n.crew.run(func() {
			contain(func() error { loop(work); return nil }, func(err error) {
				if err != nil {
					cancel(err)
				}
			})
		})
	}
	<-work.Done()
	cause := context.Cause(work)
	n.levels.end()
	began := time.Now()
	n.crew.wait(lastOrders)
	n.outlet.settle(max(0, lastOrders-time.Since(began)))
	if ctx.Err() != nil {
		return nil
	}
	return cause
}

// askDatabase keeps the newest answer of the database.
func (n *Node) askDatabase(ctx context.Context) {
	n.database.run(ctx, n.now, func(err error) {
		n.log.outcome("to ask the database", err)
		n.nudge()
	})
}
