package redundancy

import (
	"fmt"
	"sync/atomic"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// gate is what the sites of a node have in common.
type gate struct {
	standing func() standing // read anew for every call
	cluster  *cluster.Gate   // in the same role
	denials  *denials
	warn     func(text string, args ...any)
	warned   atomic.Bool // in this window of an unknown role
}

// newGate returns the gate of the node that src belongs to, with the sites.
func newGate(src cluster.Source, role string, sites []string, standing func() standing, warn func(string, ...any)) (*gate, error) {
	inner, err := cluster.NewGate(src, scope(role)...)
	if err != nil {
		return nil, fmt.Errorf("redundancy: gate: %w", err)
	}
	return &gate{standing: standing, cluster: inner, denials: newDenials(sites), warn: warn}, nil
}

// sites returns a Site for each name.
func (g *gate) sites() map[string]*Site {
	all := make(map[string]*Site, len(g.denials.sites))
	for _, name := range g.denials.sites {
		all[name] = &Site{name: name, gate: g}
	}
	return all
}

// look reads the standing. A role that is known ends the window of an unknown one
// (S4.32), so whoever follows the standing looks through the gate.
func (g *gate) look() standing {
	s := g.standing()
	if s.effective() != RoleUnknown && g.warned.Load() {
		g.warned.Store(false)
	}
	return s
}

// deny counts a denial and returns it as an error. An ack that is dropped because
// nobody knows the role is a surprise to whoever sent it, so there is one warning
// for each window (S4.31).
func (g *gate) deny(site string, why Denial) error {
	g.denials.count(site, why)
	if site == SiteAck && why == DeniedRoleUnknown && g.warned.CompareAndSwap(false, true) {
		g.warn("acks are dropped: not primary (role unknown)", "site", site)
	}
	return &DeniedError{Site: site, Denial: why}
}
