package redundancy

import (
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// Reach is whether something answered when it was tried.
type Reach uint8

const (
	// ReachUnknown is the zero Reach: it was not tried yet, or too long ago.
	ReachUnknown Reach = iota
	Reachable
	Unreachable
)

// Inputs are all that a service level is computed from (S4.9). What an input that
// is absent means is said with each (X17). Ages count from when this process took
// something in, and a negative one counts as 0 (X27).
type Inputs struct {
	// Status is this node's in its cluster. Anything but Up and Joining,
	// the zero value included, is down (S4.13).
	Status cluster.Status
	// HasRole tells whether the node holds the role; without it it is down.
	HasRole bool
	// Role is this node's in the newest snapshot. RoleUnknown without one.
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
	// S4.12 and X16. Unknown is the benefit of the doubt.
	Endpoint Reach
}

// LevelPolicy is how a service level is computed from Inputs. It is data. The zero
// LevelPolicy is the table of DefaultLevels.
type LevelPolicy struct {
	// Down to Active are the values of the five tiers, ascending, no two the
	// same, from 0 to 254: a node never shows 255, which server kits show before
	// anything was measured (X15). 0 is not set, which Down is by default.
	Down, Critical, Stale, Follower, Active int
	// DatabaseStaleAfter and SnapshotStaleAfter are the ages above which what
	// is known is stale. 0 is 30 seconds.
	DatabaseStaleAfter, SnapshotStaleAfter time.Duration
}

// DefaultLevels returns the policy with all defaults filled in: 0, 100, 200, 240,
// 250, and 30 seconds each.
func DefaultLevels() LevelPolicy { return LevelPolicy{}.resolve() }

// Level computes the service level under the default policy. It is pure (S4.8).
func Level(in Inputs) uint8 { return LevelPolicy{}.Level(in) }

// Level computes the service level. It is pure (S4.8). The first row that holds
// decides.
func (p LevelPolicy) Level(in Inputs) uint8 {
	p = p.resolve()
	return uint8(p.value(p.tier(in)))
}

// tier is the table.
func (p LevelPolicy) tier(in Inputs) tier {
	stale := !in.Snapshot || in.SnapshotAge > p.SnapshotStaleAfter || in.DatabaseAge > p.DatabaseStaleAfter
	switch {
	case in.Status != cluster.Up && in.Status != cluster.Joining, !in.HasRole:
		return tierDown
	case in.Database == ReachUnknown:
		return p.byRole(in)
	case in.Database == Unreachable, in.Endpoint == Unreachable:
		return tierCritical
	case stale:
		return tierStale
	case in.Role == Primary && in.Active && in.Status == cluster.Up:
		return tierActive
	default:
		return tierFollower
	}
}

// byRole is the table for the time before the database has answered once (S4.19).
func (p LevelPolicy) byRole(in Inputs) tier {
	switch {
	case in.Role == Primary && in.Active:
		return tierFollower
	case in.Role == Primary:
		return tierStale
	case in.Role == Secondary:
		return tierCritical
	default:
		return tierDown
	}
}

type tier uint8

const (
	tierDown tier = iota
	tierCritical
	tierStale
	tierFollower
	tierActive
)

func (p LevelPolicy) value(t tier) int {
	return [...]int{p.Down, p.Critical, p.Stale, p.Follower, p.Active}[t]
}

func (p LevelPolicy) resolve() LevelPolicy {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&p.Critical, 100)
	def(&p.Stale, 200)
	def(&p.Follower, 240)
	def(&p.Active, 250)
	if p.DatabaseStaleAfter == 0 {
		p.DatabaseStaleAfter = 30 * time.Second
	}
	if p.SnapshotStaleAfter == 0 {
		p.SnapshotStaleAfter = 30 * time.Second
	}
	return p
}
