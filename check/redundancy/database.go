package redundancy

import (
	"context"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// databaseWatch asks the database every interval, and keeps the newest answer for
// all who want to know: the service level and the check of the ready tier (S4.23).
type databaseWatch struct {
	ask      func(context.Context) error // nil: there is no database
	interval time.Duration
	caller   *caller

	mu     sync.Mutex
	newest answer
}

// answer is what the database said, or that it did not.
type answer struct {
	reach Reach
	at    cluster.Instant // when it came
	err   error           // for the log
}

// run asks until ctx ends. A query that has not returned in time is unreachable,
// and for as long as it goes on there is no other (S4.11).
func (d *databaseWatch) run(ctx context.Context, now func() (cluster.Instant, bool), answered func(error)) {
	if d.ask == nil {
		return
	}
	every(ctx, d.interval, func() {
		err := d.caller.do(ctx, d.ask)
		if ctx.Err() != nil {
			return // it was told to end, which says nothing about the database
		}
		a := answer{reach: Reachable, err: err}
		if err != nil {
			a.reach = Unreachable
		}
		at, ok := now()
		if !ok {
			return // an answer without an age is none
		}
		a.at = at
		d.mu.Lock()
		d.newest = a
		d.mu.Unlock()
		answered(err)
	})
}

// last returns the newest answer and its age at now. Without a database it is
// reachable at all times.
func (d *databaseWatch) last(now cluster.Instant) (reach Reach, age time.Duration, err error) {
	if d.ask == nil {
		return Reachable, 0, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.newest.reach == ReachUnknown {
		return ReachUnknown, 0, nil
	}
	return d.newest.reach, max(0, now.Sub(d.newest.at)), d.newest.err
}

// every calls f now and then at every interval, until ctx ends. A call that takes
// longer makes the next ones late and none of them is made up for.
func every(ctx context.Context, interval time.Duration, f func()) {
	//nolint:forbidigo // it paces calls of others; ages are measured by the node's clock
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for ctx.Err() == nil {
		f()
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}
