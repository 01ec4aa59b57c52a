package cluster

import "fmt"

// Reason says why a node is the active one, or is not.
type Reason uint8

const (
	// ReasonStarting is the zero Reason: the cluster is not available yet.
	ReasonStarting Reason = iota
	// ReasonNotClustered is active: the node works alone.
	ReasonNotClustered
	// ReasonActive is active: the oldest Up member in scope is this node.
	ReasonActive
	// ReasonStandby means that another member is older.
	ReasonStandby
	// ReasonHeld means that an older member was removed before its claim could
	// have ended, and that its last moment has not passed.
	ReasonHeld
	// ReasonExpired means that the engine has not confirmed this node for too
	// long: others may have taken over.
	ReasonExpired
	// ReasonNotUp means that this node itself is not Up, or not among the
	// members.
	ReasonNotUp
	// ReasonNoRole means that this node holds none of the roles asked for.
	ReasonNoRole
	// ReasonNoMember means that no member in scope is Up.
	ReasonNoMember

	reasonCount = int(ReasonNoMember) + 1
)

var reasonNames = [reasonCount]string{"starting", "not_clustered", "active", "standby", "held", "expired", "not_up", "no_role", "no_member"}

// String returns the reason as entries show it, such as "standby".
func (r Reason) String() string {
	if int(r) < reasonCount {
		return reasonNames[r]
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// Decision is the answer to "is this node the active one?". The zero Decision
// is no.
type Decision struct {
	// Active is the answer.
	Active bool
	Reason Reason
	// Self is the node that asked.
	Self Key
	// Role is the scope: the first role of the preference that Self holds.
	// Empty when there was no preference, or none of its roles is held.
	Role string
	// Holder is the active node where it is known, and the zero Key where it
	// is not: while Starting, Expired or Held, or without a member in scope.
	Holder Key
	// Token is the fencing token of an active node: its Age. A resource that
	// refuses a token smaller than the largest it has seen is safe from work
	// that was frozen on its way. 0 when not active, or not clustered.
	Token uint64
	// ValidUntil is when an active node must have stopped, unless it asks again
	// and is told another time. 0 when not active, or not clustered.
	ValidUntil Instant
}

// Decide tells whether the node that v belongs to is the active one at now: the
// oldest Up member, by age and never by address (S1.23, X1). With roles it is
// the oldest that carries the first of them that the node itself holds (S1.25).
//
// It is pure, and the one rule that checks, gates, the service level and callers
// share (S1.33): what they answer can differ only when they were asked about
// different views or instants. In one view no two nodes are active.
//
// Read now before the view: then a pause between the two makes the answer old
// and not wrong.
func Decide(v *View, now Instant, rolePreference ...string) Decision {
	switch {
	case v == nil:
		return Decision{}
	case v.State == NotClustered:
		return Decision{Active: true, Reason: ReasonNotClustered, Self: v.Self, Holder: v.Self}
	case v.State != Available:
		return Decision{Self: v.Self}
	}
	self, _ := v.Member(v.Self)
	d := Decision{Self: v.Self}
	if len(rolePreference) > 0 {
		d.Role = firstHeld(self, rolePreference)
	}
	switch holder, found := oldestUp(v.Members, d.Role); {
	case len(rolePreference) > 0 && d.Role == "" && self.Status != Unknown:
		// Roles are fixed, so this holds however old the view is.
		d.Reason = ReasonNoRole
	case now >= v.ValidUntil:
		d.Reason = ReasonExpired
	case len(rolePreference) > 0 && d.Role == "":
		d.Reason = ReasonNotUp // not among the members, so its roles are not known
	case !found:
		d.Reason = ReasonNoMember
	case held(v.Members, d.Role, holder, now):
		d.Reason = ReasonHeld
	case self.Status != Up || self.Age == 0:
		d.Reason, d.Holder = ReasonNotUp, holder.Key
	case holder.Key != self.Key:
		d.Reason, d.Holder = ReasonStandby, holder.Key
	default:
		d = Decision{
			Active: true, Reason: ReasonActive,
			Self: v.Self, Role: d.Role, Holder: v.Self,
			Token: self.Age, ValidUntil: v.ValidUntil,
		}
	}
	return d
}

// Holder returns the active node of a role at now, whoever's view v is: whom
// Decide names to those that hold the role. "" is the whole cluster. It is not
// known without a valid view, without a member in scope, and while one that was
// removed before its time may still act.
func Holder(v *View, now Instant, role string) (holder Key, known bool) {
	if v == nil || v.State != Available || now >= v.ValidUntil {
		return Key{}, false
	}
	oldest, found := oldestUp(v.Members, role)
	if !found || held(v.Members, role, oldest, now) {
		return Key{}, false
	}
	return oldest.Key, true
}

// firstHeld returns the first role of the preference that the member carries.
func firstHeld(m Member, preference []string) string {
	for _, role := range preference {
		if role != "" && m.HasRole(role) {
			return role
		}
	}
	return ""
}

// oldestUp returns the oldest member in the role that is Up, reachable or not
// (S1.31).
func oldestUp(members []Member, role string) (oldest Member, found bool) {
	for _, m := range members {
		if m.Status != Up || m.Age == 0 || !m.HasRole(role) {
			continue
		}
		if !found || m.older(oldest) {
			oldest, found = m, true
		}
	}
	return oldest, found
}

// held tells whether a removed member may still act in front of the holder.
func held(members []Member, role string, holder Member, now Instant) bool {
	for _, m := range members {
		if m.Status == Removed && now < m.HoldUntil && m.HasRole(role) && m.older(holder) {
			return true
		}
	}
	return false
}
