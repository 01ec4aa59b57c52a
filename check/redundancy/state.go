package redundancy

import "time"

// State is what a Node knows and has counted, for exporters. Its slices are the
// caller's.
type State struct {
	// Level is the service level of now, valid while LevelKnown: once Run has
	// computed the first.
	Level      uint8
	LevelKnown bool
	// LevelChanges has each value of the policy, ascending, from 0 on.
	LevelChanges []LevelCount
	// Role is the one that the primary gate goes by now.
	Role Role
	// SnapshotAge is the age of the newest snapshot, valid while SnapshotKnown.
	// A node that works alone has none.
	SnapshotAge   time.Duration
	SnapshotKnown bool
	// Denials has each site with each reason, from 0 on: sites as they were
	// configured, then reasons as they are declared.
	Denials []DenialCount
	// Probes has each peer that is being probed with each outcome, from 0 on, by
	// address.
	Probes []ProbeCount
	// Ignored has each kind of message or call that was ignored, from 0 on.
	Ignored []IgnoredCount
}

// LevelCount is how often a level was reached, the first level included (S4.41).
type LevelCount struct {
	Level uint8
	Count uint64
}

// DenialCount is how often a site was denied for a reason (S4.42).
type DenialCount struct {
	Site   string
	Reason Denial
	Count  uint64
}

// ProbeCount is how often a probe of a peer had an outcome.
type ProbeCount struct {
	Peer    string // host:port
	Outcome ProbeOutcome
	Count   uint64
}

// IgnoredCount is how often something was ignored.
type IgnoredCount struct {
	Kind  Ignored
	Count uint64
}

// State returns what exporters tell, each part as it is now. Cost: a walk over the
// members, and the allocation of the slices. That of a nil Node is the zero State.
func (n *Node) State() State {
	if n == nil || n.gate == nil {
		return State{}
	}
	s := State{
		Level:   n.ServiceLevel(),
		Role:    n.Role(),
		Denials: n.gate.denials.list(),
		Probes:  n.supervisor.list(),
	}
	s.LevelChanges, s.LevelKnown = n.levels.list()
	s.SnapshotAge, s.SnapshotKnown = n.snapshotAge()
	for kind := range n.ignored {
		s.Ignored = append(s.Ignored, IgnoredCount{Kind: Ignored(kind), Count: n.ignored[kind].Load()})
	}
	return s
}

// snapshotAge returns the age of the newest snapshot.
func (n *Node) snapshotAge() (age time.Duration, known bool) {
	now, ok := n.now()
	if !ok {
		return 0, false
	}
	_, received, known := n.inbox.newest()
	if !known {
		return 0, false
	}
	return max(0, now.Sub(received)), true
}
