package cluster

import "slices"

// Gate tells whether this node may act, and lets work in while it may. It reads
// the Source anew for every call and by the rule of Decide, so it agrees with the
// Active check of the same source and roles; only while the cluster is starting
// the gate is closed and the check Degraded (S1.46, S1.49, X2).
//
// All methods may be called by any goroutine. A nil or zero Gate is closed, and so
// is one whose source panics (S1.47, R27).
type Gate struct {
	src            Source
	rolePreference []string
}

// NewGate returns the gate of the node that src belongs to. With roles the scope
// is the first of them that the node holds, and a node that holds none is never
// let through. The error names a source that is nil or a role that is not valid.
func NewGate(src Source, rolePreference ...string) (*Gate, error) {
	if err := usable(src); err != nil {
		return nil, err
	}
	if err := ValidateRoles(rolePreference); err != nil {
		return nil, err
	}
	return &Gate{src: src, rolePreference: slices.Clone(rolePreference)}, nil
}

// IsActive tells whether this node is the active one now. The answer may be old
// when it is used; work that must not outlive it goes through Acquire or Enter.
// Cost: one reading of the clock and a walk over the members, no allocation.
func (g *Gate) IsActive() bool { return g.ask().Active }

// ActiveNode returns the address of the active node, which may be this one. It is
// not known while nobody is, or while this node has no valid view.
func (g *Gate) ActiveNode() (address string, known bool) {
	address = g.ask().Holder.Address
	return address, address != ""
}

// ask decides now.
func (g *Gate) ask() Decision {
	if g == nil {
		return Decision{}
	}
	return Ask(g.src, g.rolePreference...)
}
