package cluster

import "slices"

// Key identifies one life of one node.
type Key struct {
	// Address is the node's canonical host:port (X20); see ParseAddress.
	Address string
	// Incarnation is new at every join, so a node that restarts at its old
	// address is never taken for the one that was there before (S1.29).
	Incarnation string
}

// Member is what a view says of one member. It is part of an immutable View.
type Member struct {
	Key
	Status Status
	// Roles are fixed for an incarnation, which is what makes "the oldest in
	// its role" never change back.
	Roles []string
	// Age is the number that the engine gave when the member became Up: the
	// smaller, the older. It grows with each member that becomes Up, whatever
	// clocks say, and is the member's fencing token. 0 until then, and never
	// the oldest.
	Age uint64
	// Reachable tells whether the observer heard of the member lately. A
	// member that is Up and not reachable still counts as the oldest (S1.31).
	Reachable bool
	// Seen is when the observer last heard of the member, on its own clock.
	Seen Instant
	// HoldUntil, of a member that was removed before its time could have run
	// out, is when it must have stopped its work. Until then it bars every
	// younger member of its roles from being the active one. 0 otherwise.
	HoldUntil Instant
	// Meta is what the member says of itself. It takes no part in decisions.
	Meta map[string]string
}

// HasRole tells whether the member carries the role; every member is in the
// scope of "", which stands for no role.
func (m Member) HasRole(role string) bool {
	return role == "" || slices.Contains(m.Roles, role)
}

// older tells whether m comes before other. Equal ages, which no engine of
// this module gives, are told apart by incarnation and not by address: an
// order of addresses is what S1.23 warns of.
func (m Member) older(other Member) bool {
	switch {
	case m.Age != other.Age:
		return m.Age < other.Age
	case m.Incarnation != other.Incarnation:
		return m.Incarnation < other.Incarnation
	default:
		return m.Address < other.Address
	}
}
