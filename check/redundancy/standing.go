package redundancy

import "github.com/loopvitals/loopvitals/check/cluster"

// standing is what a node is at one moment, by its own view and the newest
// snapshot. It is a value: whoever holds one gets one answer however long it asks.
type standing struct {
	told Role // the node's in the newest snapshot
	role string
	now  cluster.Instant
	view *cluster.View
	own  cluster.Decision // in the role, by the node's own view
}

// standingIn is the standing of the node that v belongs to. newest may be nil.
func standingIn(v *cluster.View, now cluster.Instant, role string, newest *snapshot) standing {
	s := standing{role: role, now: now, view: v, own: cluster.Decide(v, now, scope(role)...)}
	if v != nil {
		s.told = newest.roleOf(v.Self.Address)
	}
	return s
}

// scope is the role as the cluster package asks for it. No role is the whole cluster,
// in which every member counts.
func scope(role string) []string {
	if role == "" {
		return nil
	}
	return []string{role}
}

// effective is the role that the primary gate goes by. A snapshot can take the role
// away and never give it: to be the primary the node must be told so and be the
// active one in its own view, at this moment (S4.1, S1.33).
func (s standing) effective() Role {
	if s.own.Reason == cluster.ReasonNotClustered {
		return Primary
	}
	if s.told != Primary {
		return s.told
	}
	switch s.own.Reason {
	case cluster.ReasonActive:
		return Primary
	case cluster.ReasonStandby:
		return Secondary
	case cluster.ReasonNoRole:
		return Detached
	default: // nobody knows who is
		return RoleUnknown
	}
}

// denial is what the primary gate says (S4.26).
func (s standing) denial() Denial {
	return gateRule(s.effective(), s.upInRole(), s.own.Active)
}

// upInRole is the live count of S4.27: the Up members with the role, this node
// included. It is 0 without a cluster.
func (s standing) upInRole() int {
	if s.view == nil || s.view.State != cluster.Available {
		return 0
	}
	n := 0
	for i := range s.view.Members {
		if m := &s.view.Members[i]; m.Status == cluster.Up && m.HasRole(s.role) {
			n++
		}
	}
	return n
}

// primary returns the address of the primary by this node's own view, where it is
// known. A node that may not serve does not name itself.
func (s standing) primary() (address string, known bool) {
	holder := s.own.Holder
	if s.own.Reason == cluster.ReasonNoRole { // Decide names nobody outside of its scope
		holder, _ = cluster.Holder(s.view, s.now, s.role)
	}
	if holder.Address == "" || holder == s.own.Self && s.denial() != NotDenied {
		return "", false
	}
	return holder.Address, true
}

// gateRule is the table of S4.26, made stricter where the role is not known: a node
// must not only be alone but the active one, so that nothing passes here that the
// gate of the cluster would stop. That leaves the lone node at boot.
func gateRule(effective Role, upInRole int, active bool) Denial {
	switch effective {
	case Primary:
		return NotDenied
	case Secondary:
		return DeniedSecondary
	case Detached:
		return DeniedDetached
	default:
		if upInRole <= 1 && active {
			return NotDenied
		}
		return DeniedRoleUnknown
	}
}
