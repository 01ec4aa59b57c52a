package redundancy

import (
	"context"
	"log/slog"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// longestLook is for how long nothing is looked at when nothing happens and nothing is
// due; the health tick is sooner in practice.
const longestLook = time.Hour

// follow looks at the cluster and acts on what it sees: at every change of the view,
// when the bus or the database has told something new, at each health tick, and when
// time alone changes something. It is the one goroutine that decides; calls of others
// that may take long are left to their own.
func (n *Node) follow(ctx context.Context) {
	//nolint:forbidigo // it paces work; ages are measured by the node's clock
	tick := time.NewTicker(n.config.HealthInterval)
	defer tick.Stop()
	//nolint:forbidigo // as above
	timer := time.NewTimer(longestLook)
	defer timer.Stop()
	var seen *cluster.View
	for woken := false; ctx.Err() == nil; {
		news := changed(n.config.Source)
		s := look(n.config.Source)
		if woken && s.view == seen {
			sleep(ctx, time.Millisecond) // a channel that is always closed must not keep a core busy
		}
		seen, woken = s.view, false
		timer.Reset(n.act(ctx, s))
		select {
		case <-ctx.Done():
		case <-news:
			woken = true
		case <-n.stir:
		case <-tick.C:
		case <-timer.C:
		}
	}
}

// act does what a sight asks for, and returns when to look again.
func (n *Node) act(ctx context.Context, s sight) (again time.Duration) {
	moment := time.Now()
	n.supervisor.see(ctx, s.view)
	due, at := n.builder.see(s, moment)
	if due != nil {
		n.announce(ctx, due, s)
	}
	n.recall(s.view)
	if n.omission.see(n.newest(), s.view, n.config.Role) {
		n.log.warn("the snapshots do not mention this node, which is therefore denied: is its address written in two ways?",
			"node", s.view.Self.Address)
	}
	n.show()
	again = longestLook
	if !at.IsZero() {
		again = min(again, at.Sub(moment))
	}
	if in, ok := s.turns(); ok {
		again = min(again, max(in, shortestTime)) // a source whose clock stands still must not keep a core busy either
	}
	return again
}

// announce takes in a snapshot that this node has built, and sends it to all others.
// By the time it is sent another may be the builder: the gate tells, and bounds it.
func (n *Node) announce(ctx context.Context, built *snapshot, s sight) {
	message, err := encodeSnapshot(built)
	if err != nil {
		n.outcomes("to write a snapshot")(err)
		return
	}
	n.takeSnapshot(built, s.view)
	if n.config.Bus != nil {
		n.snapshots.send(ctx, parcel{message: message, admit: n.whole.Acquire})
	}
}

// show computes the level, and shows it.
func (n *Node) show() {
	in := n.inputs()
	level, changed := n.levels.reach(n.config.Levels.tier(in))
	if changed {
		n.log.line(slog.LevelInfo, "the service level has changed", "level", level, "role", n.Role())
	}
}
