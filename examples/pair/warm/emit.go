package warm

import (
	"context"
	"errors"
	"time"

	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/examples/pair/stream"
)

// lookBack is how often a standby looks at what the primary has emitted.
const lookBack = time.Second

// emit brings the output up to what was evaluated, while this node is the primary.
//
// Each transition is there once (S4.34), and three things see to it:
//
//   - The gate, so that the standby does not even try.
//   - What is missing is derived from the output itself: all that was evaluated
//     and comes after its last transition. So what was evaluated while nobody was
//     the primary, and what an old primary had not got out, is emitted by the next
//     one, which knows no other record of it.
//   - The output takes a transition only behind the one that its sender has seen
//     there last. So an old primary that was frozen between the gate and the
//     stream, and a message whose answer was lost, do no harm.
//
// The gate alone would not do: work can be frozen behind it.
func (n *Node) emit(ctx context.Context) error {
	site := n.Redundancy.Site(redundancy.SiteAlarmEmit)
	looked := time.Time{}
	for ; ctx.Err() == nil; wait(ctx, pace) {
		fresh, all := n.pending.news()
		active := site.IsActive()
		n.report(loopEmit, active)
		switch {
		case active && all > 0:
			if err := n.emitAll(ctx, site); err != nil && ctx.Err() == nil {
				n.config.Log.Warn("the alarms were not all emitted", "error", err)
				wait(ctx, time.Second/4) // whoever refuses at once need not be asked at once
			}
		case active:
		default:
			for range fresh {
				_ = site.Allow() // each one that is skipped is counted (S4.31)
			}
			if all > 0 && time.Since(looked) > lookBack {
				looked = time.Now()
				n.dropEmitted(ctx)
			}
		}
	}
	return ctx.Err()
}

// emitAll is one unit of work: it ends at the fence, and a node that leaves waits
// for it.
func (n *Node) emitAll(ctx context.Context, site *redundancy.Site) error {
	work, release, err := site.Acquire(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	defer release()
	work, cancel := context.WithTimeout(work, patience)
	defer cancel()
	position, last, err := n.streams.Last(work)
	if err != nil {
		return err
	}
	n.pending.emitted(last.Seq)
	for {
		t, some := n.pending.first()
		if !some {
			return nil
		}
		position, err = n.streams.Append(work, position, t)
		if errors.Is(err, stream.ErrMoved) {
			return nil // looked at again in the next round
		}
		if err != nil {
			return err
		}
		n.pending.emitted(t.Seq)
	}
}

// dropEmitted forgets what the primary has emitted.
func (n *Node) dropEmitted(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, last, err := n.streams.Last(ctx); err == nil {
		n.pending.emitted(last.Seq)
	}
}

// report says whether the loop works here, or its turn is elsewhere.
func (n *Node) report(loop string, active bool) {
	if active {
		n.loops[loop].Resume()
		n.loops[loop].Beat()
		return
	}
	n.loops[loop].Standby()
}
