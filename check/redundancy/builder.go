package redundancy

import (
	"slices"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// builder makes the snapshots, while this node is the active one of the whole
// cluster (S4.2). It keeps nothing that another builder would need: who takes over
// reads the roles from its own view (S4.4).
type builder struct {
	role      string
	debounce  time.Duration
	republish time.Duration

	token    uint64     // what it builds under; 0 while it is not the builder
	sequence uint64     // of the last one; it only grows
	said     []nodeRole // in the last one under the token
	at       time.Time  // of the next one
}

// see looks at the cluster at a moment of the runtime's clock. It returns a snapshot
// when one is due, and when to look again even if the view stays; the zero time is
// never.
//
// Views change with each heartbeat. Only a change of the roles is one, and a burst
// of them is one snapshot: the wait begins with the first and is not prolonged.
func (b *builder) see(s sight, moment time.Time) (due *snapshot, again time.Time) {
	d := cluster.Decide(s.view, s.now)
	if d.Token == 0 { // not the active one, or alone
		b.token, b.said = 0, nil
		return nil, time.Time{}
	}
	roles := rolesIn(s.view, s.now, b.role)
	soon := moment.Add(b.debounce)
	switch {
	case d.Token != b.token:
		b.token, b.said, b.at = d.Token, nil, soon
	case !slices.Equal(roles, b.said) && soon.Before(b.at):
		b.at = soon
	}
	if moment.Before(b.at) {
		return nil, b.at
	}
	if b.sequence == 0 {
		b.sequence = firstSequence(s.now)
	}
	b.sequence++
	b.said, b.at = roles, moment.Add(b.republish)
	return &snapshot{
		Token: b.token, Sequence: b.sequence,
		Revision: s.view.Revision,
		Role:     b.role,
		Builder:  s.view.Self.Address,
		BuiltAt:  moment.Round(0),
		Nodes:    roles,
	}, b.at
}

// firstSequence is after which number a Node begins to count what it sends, at a time
// of the cluster's clock. A process may replace its Node and stay the same member, and
// the peers compare the numbers of both. That clock does not go back in a member's
// life, and nobody sends once a nanosecond, so the next Node's numbers are larger.
func firstSequence(now cluster.Instant) uint64 { return uint64(max(0, now)) }
