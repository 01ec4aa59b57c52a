package redundancy

import "time"

// State is what a Node knows and has counted, for exporters. Its slices are the
// caller's.
type State struct {
	// Level is the service level, valid while LevelKnown: once Run has computed
	// the first.
	Level      uint8
	LevelKnown bool
	// LevelChanges has each value of the policy, ascending, from 0 on.
	LevelChanges []LevelCount
	// Role is the one that the primary gate goes by now.
	Role Role
	// SnapshotAge is the age of the newest snapshot, valid while SnapshotKnown.
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
