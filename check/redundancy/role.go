package redundancy

import "fmt"

// Role is what a node is to its peers.
type Role uint8

const (
	// RoleUnknown is the zero Role: no snapshot has come yet, or the newest one
	// does not mention the node (S4.28).
	RoleUnknown Role = iota
	// Primary holds the role of the cluster and is its active node: it may write.
	Primary
	// Secondary holds the role and stands by.
	Secondary
	// Detached does not hold the role.
	Detached

	roleCount = int(Detached) + 1
)

var roleNames = [roleCount]string{"unknown", "primary", "secondary", "detached"}

// String returns the role as messages, entries and metrics show it.
func (r Role) String() string {
	if int(r) < roleCount {
		return roleNames[r]
	}
	return fmt.Sprintf("Role(%d)", uint8(r))
}
