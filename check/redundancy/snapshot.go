package redundancy

import (
	"cmp"
	"slices"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// snapshot is what the builder, the active node of the whole cluster, says of
// everybody's role (S4.2). It is immutable. It is advice: it can take the primary role
// from a node and not give it to one that its own view does not show as the active one.
type snapshot struct {
	// Token is the builder's fencing token and Sequence grows with all that is
	// sent under it. Together they are the version: of two snapshots the one with
	// the larger Token, and then Sequence, is newer, whatever calendars say.
	Token, Sequence uint64
	// Revision is that of the view that the roles were read from.
	Revision uint64
	// Role is the one that the primary has and the detached lack. Empty is none:
	// the whole cluster.
	Role string
	// Builder is the builder's address.
	Builder string
	// BuiltAt is the builder's calendar time. It is for people: freshness counts
	// from when a node took the snapshot in (X27).
	BuiltAt time.Time
	// Nodes are in ascending order, no two with one address.
	Nodes []nodeRole
}

// nodeRole is the role of one node.
type nodeRole struct {
	// Node is the node's canonical host:port (S4.5, X20).
	Node string
	Role Role
}

// roleOf returns the role of the node at an address, RoleUnknown when it is not
// mentioned. A nil snapshot mentions nobody.
func (s *snapshot) roleOf(node string) Role {
	if s == nil {
		return RoleUnknown
	}
	i, found := slices.BinarySearchFunc(s.Nodes, node, func(n nodeRole, address string) int {
		return cmp.Compare(n.Node, address)
	})
	if !found {
		return RoleUnknown
	}
	return s.Nodes[i].Role
}

// newer tells whether s replaces old, which may be nil.
func (s *snapshot) newer(old *snapshot) bool {
	return old == nil || cmp.Or(cmp.Compare(s.Token, old.Token), cmp.Compare(s.Sequence, old.Sequence)) > 0
}

// rolesIn are the roles of all members of v at now (S4.1): the holder of the role is
// the primary, by the rule of the cluster package and by no other. A member whose
// address is not canonical is left out, since it is nobody's name (S4.5).
func rolesIn(v *cluster.View, now cluster.Instant, role string) []nodeRole {
	if v == nil {
		return nil
	}
	holder, _ := cluster.Holder(v, now, role)
	roles := make(map[string]Role, len(v.Members))
	for _, m := range v.Members {
		if m.Status >= cluster.Down || !canonical(m.Address) {
			continue
		}
		r := Detached
		switch {
		case m.Key == holder:
			r = Primary
		case m.HasRole(role):
			r = Secondary
		}
		// Two lives of one address are one node; what the better one may do counts.
		if old, twice := roles[m.Address]; !twice || r < old {
			roles[m.Address] = r
		}
	}
	nodes := make([]nodeRole, 0, len(roles))
	for node, r := range roles {
		nodes = append(nodes, nodeRole{node, r})
	}
	slices.SortFunc(nodes, func(a, b nodeRole) int { return cmp.Compare(a.Node, b.Node) })
	return nodes
}
