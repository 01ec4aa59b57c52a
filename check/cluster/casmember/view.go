package casmember

import "github.com/loopvitals/loopvitals/check/cluster"

// publish makes the view anew. The caller holds the mutex, except in New.
func (n *Node) publish(now cluster.Instant) {
	v := &cluster.View{
		Self:        n.life.record.key,
		Revision:    n.roster.revision,
		ConfirmedAt: n.life.confirmed,
		ValidUntil:  n.life.fence,
	}
	if n.ended {
		v.ValidUntil = 0
	}
	if n.roster.synced {
		v.State = cluster.Available
	}
	for name, x := range n.roster.entries {
		m, shown := n.show(now, name, x)
		if shown {
			v.Members = append(v.Members, m)
		}
		x.showing = showing{m.Status, m.Reachable, shown}
	}
	n.view.Store(v)
	close(n.changed)
	n.changed = make(chan struct{})
}

// show is what the view says of an entry, if it says anything. A member that is
// gone is shown for as long as it bars others.
func (n *Node) show(now cluster.Instant, name string, x *entry) (m cluster.Member, shown bool) {
	if x.gone && now >= x.hold {
		return m, false
	}
	m = x.member(now)
	if name == n.life.name {
		m.Status = n.own(now, m.Status)
	}
	return m, true
}

// stale tells whether time alone has made the view another one.
func (n *Node) stale(now cluster.Instant) bool {
	for name, x := range n.roster.entries {
		m, shown := n.show(now, name, x)
		if (showing{m.Status, m.Reachable, shown}) != x.showing {
			return true
		}
	}
	return false
}

// own is what this node shows as its own status, when the watch says status. It
// is in its own view only as the watch has it there (F1b), and may know more: it
// leaves before the others are told (F7), and is not Up before it has watched
// for long enough to know of every claim older than its own.
func (n *Node) own(now cluster.Instant, status cluster.Status) cluster.Status {
	switch {
	case status != cluster.Up:
		return status
	case n.demoted:
		return cluster.Leaving
	case now < n.witnessed():
		return cluster.Joining
	}
	return cluster.Up
}

// witnessed is when this life has watched for long enough, once it has entered.
func (n *Node) witnessed() cluster.Instant { return n.life.witness.Add(n.config.TTL) }

// upIsDue tells whether the watch has missed nothing for a TTL: whoever was
// removed before that, unseen, has passed its fence.
func (n *Node) upIsDue(now cluster.Instant) bool {
	return n.roster.synced && now >= n.roster.since.Add(n.config.TTL)
}
