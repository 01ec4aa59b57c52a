package redundancy

import "github.com/loopvitals/loopvitals/check/cluster"

// omits tells whether a snapshot should have mentioned the node that v belongs to and
// does not, while a peer has the role (S4.6): it was built from a view in which the
// node was Up already. A snapshot from before that is merely old.
func omits(s *snapshot, v *cluster.View, role string) bool {
	if s == nil || v == nil || v.State != cluster.Available || s.roleOf(v.Self.Address) != RoleUnknown {
		return false
	}
	self, _ := v.Member(v.Self)
	if self.Status != cluster.Up || s.Revision < self.Age {
		return false
	}
	for i := range v.Members {
		if m := &v.Members[i]; m.Key != v.Self && m.Status == cluster.Up && m.HasRole(role) {
			return true
		}
	}
	return false
}

// omission warns once for each time that snapshots begin to omit the node. The zero
// omission has not warned.
type omission struct{ warned bool }

// see is told of each accepted snapshot, and tells whether to warn of it.
func (o *omission) see(s *snapshot, v *cluster.View, role string) (warn bool) {
	switch {
	case v != nil && s.roleOf(v.Self.Address) != RoleUnknown:
		o.warned = false
	case !o.warned && omits(s, v, role):
		o.warned = true
		return true
	}
	return false
}
