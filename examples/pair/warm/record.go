package warm

import (
	"context"
	"time"
)

// recordPace is how often the history is brought up to date.
const recordPace = 100 * time.Millisecond

// record writes the emitted transitions into the history, while this node is the
// primary (S4.48). As with emit the sink itself says what it lacks, here by the
// position in the stream up to which it is complete, and takes nothing twice. So
// the history catches up by itself after the database, or every node, was away.
func (n *Node) record(ctx context.Context) error {
	site := n.Redundancy.Site(SiteHistory)
	for ; ctx.Err() == nil; wait(ctx, recordPace) {
		active := site.IsActive()
		n.report(loopHistory, active)
		if !active {
			continue
		}
		if err := n.recordAll(ctx); err != nil && ctx.Err() == nil {
			n.config.Log.Debug("the history is not up to date", "error", err)
		}
	}
	return ctx.Err()
}

func (n *Node) recordAll(ctx context.Context) error {
	work, release, err := n.Redundancy.Site(SiteHistory).Acquire(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	defer release()
	work, cancel := context.WithTimeout(work, patience)
	defer cancel()
	last, err := n.config.Database.LastRecorded(work)
	if err != nil {
		return err
	}
	for {
		position, t, found, err := n.streams.Transition(work, last+1)
		if !found || err != nil {
			return err
		}
		if err := n.config.Database.Record(work, position, t, n.config.Address); err != nil {
			return err
		}
		last = position
	}
}
