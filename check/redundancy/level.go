package redundancy

import (
	"fmt"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// Reach is whether something answered when it was tried.
type Reach uint8

const (
	// ReachUnknown is the zero Reach: it was not tried yet, or too long ago.
	ReachUnknown Reach = iota
	// Reachable answered.
	Reachable
	// Unreachable did not answer, or not in time (S4.11).
	Unreachable

	reachCount = int(Unreachable) + 1
)

// String returns "unknown", "reachable" or "unreachable".
func (r Reach) String() string {
	if int(r) < reachCount {
		return [...]string{"unknown", "reachable", "unreachable"}[r]
	}
	return fmt.Sprintf("Reach(%d)", uint8(r))
}

// Inputs are all that a service level is computed from (S4.9). What an input that
// is absent means is said with each (X17). Ages count from when this process took
// something in, and a negative one counts as 0 (X27).
type Inputs struct {
	// Status is this node's in its cluster. Anything but Up and Joining, the
	// zero value included, is down (S4.13).
	Status cluster.Status
	// HasRole tells whether the node holds the role; without it it is down.
	HasRole bool
	// Role is this node's in the newest snapshot. RoleUnknown, without one or
	// when it omits the node, makes what is known of the roles stale.
	Role Role
	// Active tells whether this node is the active one in the role at this
	// moment, by cluster.Decide. A primary whose time has run out is not.
	Active bool
	// Database is the newest answer of the shared database. Until there is one
	// the level comes from the roles alone (S4.19).
	Database Reach
	// DatabaseAge is the age of that answer.
	DatabaseAge time.Duration
	// Snapshot tells whether there is one at all. Without, the roles are stale.
	Snapshot bool
	// SnapshotAge is the age of the newest.
	SnapshotAge time.Duration
	// Endpoint is what peers found who tried this node's endpoint lately, see
	// S4.12 and X16. ReachUnknown is the benefit of the doubt.
	Endpoint Reach
}

// LevelPolicy is how a service level is computed from Inputs. It is data: two can be
// compared. The zero LevelPolicy is that of DefaultLevels. OPC UA Part 4, 6.6.2.4.2,
// gives the values their meaning: 0 is maintenance, 1 is no data, 2 to 199 is
// degraded and 200 to 255 healthy.
type LevelPolicy struct {
	// Down to Active are the values of the five tiers, ascending, no two the
	// same, from 0 to 254: a node never shows 255, which server kits show before
	// anything was measured (X15). 0 is not set: 0, 100, 200, 240 and 250.
	//
	// Down is for a node that is no member in good standing or lacks the role,
	// Critical for one that cannot reach the database or cannot be reached, Stale
	// for one that knows too little, Follower and Active for those that are well.
	Down, Critical, Stale, Follower, Active int
	// DatabaseStaleAfter and SnapshotStaleAfter are the ages above which what
	// is known is stale (S4.10, X18). 0 is 30 seconds.
	DatabaseStaleAfter, SnapshotStaleAfter time.Duration
}

const (
	// highestLevel keeps 255 from ever being shown.
	highestLevel = 254
	staleAfter   = 30 * time.Second
)

// DefaultLevels returns the policy with all defaults filled in: 0, 100, 200, 240,
// 250, and 30 seconds each.
func DefaultLevels() LevelPolicy { return LevelPolicy{}.resolve() }

// Level computes the service level under the default policy. It is pure (S4.8).
func Level(in Inputs) uint8 { return LevelPolicy{}.Level(in) }

// Level computes the service level. It is pure (S4.8), and the first row of the table
// that holds decides. A policy that New would refuse still gives 0 to 254 only.
func (p LevelPolicy) Level(in Inputs) uint8 {
	p = p.resolve()
	return uint8(min(max(p.value(p.tier(in)), 0), highestLevel))
}

// tier is a row of the table.
type tier uint8

const (
	tierDown tier = iota
	tierCritical
	tierStale
	tierFollower
	tierActive

	tierCount = int(tierActive) + 1
)

// tier is the table (S4.13 to S4.19, X16).
func (p LevelPolicy) tier(in Inputs) tier {
	switch {
	case in.Status != cluster.Up && in.Status != cluster.Joining, !in.HasRole:
		return tierDown
	case in.Database != Reachable && in.Database != Unreachable:
		return byRole(in)
	case in.Database == Unreachable, in.Endpoint == Unreachable:
		return tierCritical
	case p.stale(in):
		return tierStale
	case in.Role == Primary && in.Active && in.Status == cluster.Up: // X19
		return tierActive
	default:
		return tierFollower
	}
}

// stale tells whether the node knows too little to call itself healthy. A negative
// age is below every bound.
func (p LevelPolicy) stale(in Inputs) bool {
	return in.DatabaseAge > p.DatabaseStaleAfter ||
		!in.Snapshot || in.SnapshotAge > p.SnapshotStaleAfter || in.Role == RoleUnknown
}

// byRole is the table for the time before the database has answered once (S4.19).
func byRole(in Inputs) tier {
	switch in.Role {
	case Primary:
		if in.Active {
			return tierFollower
		}
		return tierStale
	case Secondary:
		return tierCritical
	default:
		return tierDown
	}
}

// tiers are the values by tier, with the names of their fields.
func (p *LevelPolicy) tiers() [tierCount]struct {
	field string
	value *int
} {
	return [tierCount]struct {
		field string
		value *int
	}{
		tierDown:     {"down", &p.Down},
		tierCritical: {"critical", &p.Critical},
		tierStale:    {"stale", &p.Stale},
		tierFollower: {"follower", &p.Follower},
		tierActive:   {"active", &p.Active},
	}
}

// defaultLevels are the values of the source's table, by tier.
var defaultLevels = [tierCount]int{
	tierDown:     0,
	tierCritical: 100,
	tierStale:    200,
	tierFollower: 240,
	tierActive:   250,
}

func (p LevelPolicy) value(t tier) int { return *p.tiers()[t].value }

// values are the values from Down to Active.
func (p LevelPolicy) values() (all [tierCount]int) {
	for t, row := range p.tiers() {
		all[t] = *row.value
	}
	return all
}

// resolve fills in what is not set.
func (p LevelPolicy) resolve() LevelPolicy {
	for t, row := range p.tiers() {
		if *row.value == 0 {
			*row.value = defaultLevels[t]
		}
	}
	if p.DatabaseStaleAfter == 0 {
		p.DatabaseStaleAfter = staleAfter
	}
	if p.SnapshotStaleAfter == 0 {
		p.SnapshotStaleAfter = staleAfter
	}
	return p
}

// validate tests the bounds on what results once the defaults are filled in (X30).
func (p LevelPolicy) validate() error {
	p = p.resolve()
	tiers := p.tiers()
	for t, row := range tiers {
		if v := *row.value; v < 0 || v > highestLevel {
			return fmt.Errorf("redundancy: levels %s %d: must be 0 to %d", row.field, v, highestLevel)
		}
		if t == 0 {
			continue
		}
		if below := tiers[t-1]; *row.value <= *below.value {
			return fmt.Errorf("redundancy: levels %s %d: must be above %s, %d", row.field, *row.value, below.field, *below.value)
		}
	}
	for _, age := range []struct {
		field string
		value time.Duration
	}{
		{"database stale after", p.DatabaseStaleAfter},
		{"snapshot stale after", p.SnapshotStaleAfter},
	} {
		if age.value < 0 {
			return fmt.Errorf("redundancy: levels %s %v: must be above 0, or 0 for %v", age.field, age.value, staleAfter)
		}
	}
	return nil
}
