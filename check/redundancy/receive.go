package redundancy

import (
	"context"
	"errors"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// resubscribePause is the time between two attempts to subscribe.
const resubscribePause = time.Second

// errSubscriptionEnded is the reason when a bus gives none.
var errSubscriptionEnded = errors.New("redundancy: the subscription ended")

// listen keeps a subscription of the bus running.
func (n *Node) listen(ctx context.Context) {
	if n.config.Bus == nil {
		return
	}
	call := newCaller(0)
	outcome := n.outcomes("to subscribe")
	for ctx.Err() == nil {
		err := call.do(ctx, func(ctx context.Context) error {
			return n.config.Bus.Subscribe(ctx, func(message []byte) {
				if ctx.Err() == nil { // a bus that goes on talking belongs to the past
					n.receive(message)
				}
			})
		})
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			err = errSubscriptionEnded
		}
		outcome(err)
		sleep(ctx, resubscribePause)
	}
}

// receive takes one message of the bus in. It may be called by several goroutines,
// whatever a bus promises.
func (n *Node) receive(raw []byte) {
	m, err := decode(raw)
	switch {
	case errors.Is(err, errVersion):
		n.ignore(IgnoredVersion)
	case err != nil:
		n.ignore(IgnoredGarbage)
	case m.snapshot != nil:
		n.hear(m.snapshot)
	case m.probe != nil:
		n.heed(*m.probe)
	}
}

// hear takes a snapshot in. A copy of this node's own is none of the ignored: it was
// taken in when it was built.
func (n *Node) hear(s *snapshot) {
	if s.Role != n.config.Role {
		n.ignore(IgnoredStranger)
		if n.misheard.CompareAndSwap(false, true) {
			n.log.warn("snapshots on the bus are about another role: nodes of one bus must be configured with one role",
				"role", n.config.Role, "other", s.Role, "builder", s.Builder)
		}
		return
	}
	v := look(n.config.Source).view
	if known := n.newest(); known != nil && v != nil && s.Builder == v.Self.Address && s.Token == known.Token && s.Sequence <= known.Sequence {
		return
	}
	n.takeSnapshot(s, v)
	n.nudge()
}

// takeSnapshot takes a snapshot in, and counts one that had no effect.
func (n *Node) takeSnapshot(s *snapshot, v *cluster.View) {
	now, ok := n.now()
	if !ok {
		return // without an age it would count as new for ever
	}
	switch n.inbox.take(s, v, now) {
	case outdated:
		n.ignore(IgnoredOld)
	case unplaced:
		n.ignore(IgnoredStranger)
	case accepted:
	}
}

// heed takes the result of a probe in, when it is about this node and not its own.
// One from somebody who has no say is counted, for it should not come.
func (n *Node) heed(r probeResult) {
	v := look(n.config.Source).view
	if v == nil || r.probed != v.Self || r.prober.Address == v.Self.Address {
		return
	}
	now, ok := n.now()
	switch {
	case !ok:
	case !r.concerns(v, n.config.Role):
		n.ignore(IgnoredStranger)
	case n.witnesses.keep(r, now):
		n.nudge()
	}
}

// recall looks anew at what the bus has brought, in another view.
func (n *Node) recall(v *cluster.View) {
	n.inbox.retry(v)
	if v != nil {
		n.witnesses.forget(mayTestify(v, n.config.Role))
	}
}

// report sends what this node found about a peer to all others, which is how the
// peer hears of it.
func (n *Node) report(ctx context.Context, peer cluster.Member, o ProbeOutcome) {
	s := look(n.config.Source)
	if s.view == nil || n.config.Bus == nil {
		return
	}
	n.probed.CompareAndSwap(0, firstSequence(s.now))
	message, err := encodeProbe(probeResult{
		prober: s.view.Self, probed: peer.Key,
		sequence: n.probed.Add(1), ok: o == ProbeOK,
		at: time.Now(),
	})
	if err != nil {
		n.outcomes("to write a probe result")(err)
		return
	}
	n.results.send(ctx, parcel{subject: peer.Address, message: message})
}
