package warm

import (
	"errors"
	"fmt"

	"github.com/loopvitals/loopvitals/check/cluster"
)

const (
	// Role is the one that a node must hold to be the primary. A node with the
	// role admin alone takes part in the cluster, and acts on nothing.
	Role = "driver"
	// RolesVariable is the environment variable that the roles are taken from
	// when no flag tells them (S4.38).
	RolesVariable = "LOOPVITALS_ROLES"
	// usualRoles are those of a node that is told none.
	usualRoles = "admin,driver"
)

// Identity is who a node is (S4.38).
type Identity struct {
	// Address is HOST:PORT, by which the others know and try the node. Several
	// spellings of one address are one node; a host alone is none.
	Address string
	// Listen is HOST:PORT, where the node serves if that is elsewhere, such as
	// behind a NAT. Empty is Address.
	Listen string
	// Advertise is what the node is called in the list of servers that clients
	// read, and Peers is what the others are called there (S4.39).
	Advertise string
	Peers     []string
	// Roles are what the node can be the active one of.
	Roles []string
}

// settle fills in what is not set, and refuses what cannot be an identity.
func (i Identity) settle() (Identity, error) {
	address, err := cluster.ParseAddress(i.Address)
	if err != nil {
		return i, fmt.Errorf("warm: address: %w", err)
	}
	if i.Listen == "" {
		i.Listen = i.Address
	}
	i.Address = address
	if len(i.Roles) == 0 {
		return i, errors.New("warm: roles: must not be empty")
	}
	return i, nil
}
