package cluster

import (
	"fmt"

	"github.com/loopvitals/loopvitals/check"
)

// StatusTable gives each Status of a member its health. A status that is not
// named is Unhealthy, and so is one that this version does not know.
type StatusTable [statusCount]check.Status

// StatusPolicy says how healthy a node is at each Status of its own (S1.16). It is
// data: two can be compared, and printed. The zero StatusPolicy is DefaultPolicy
// (S1.20).
type StatusPolicy struct {
	// Reachable is for a node that its cluster can reach.
	Reachable StatusTable
	// Unreachable is for one that it cannot, as far as the node knows.
	Unreachable StatusTable
}

// DefaultPolicy is the policy to use: Healthy while Up or Joining, Degraded while
// Leaving or Exiting, and else Unhealthy (S1.17).
func DefaultPolicy() StatusPolicy {
	table := StatusTable{
		Joining: check.Healthy,
		Up:      check.Healthy,
		Leaving: check.Degraded,
		Exiting: check.Degraded,
	}
	return StatusPolicy{Reachable: table, Unreachable: table}
}

// CompatPolicy is for services that relied on never being taken out for their
// membership: Healthy while Up and reachable, and else Degraded, Joining included.
// It is never Unhealthy (S1.18, X14).
func CompatPolicy() StatusPolicy {
	var table StatusTable
	for status := range table {
		table[status] = check.Degraded
	}
	p := StatusPolicy{Reachable: table, Unreachable: table}
	p.Reachable[Up] = check.Healthy
	return p
}

// health is what the policy says of a member.
func (p *StatusPolicy) health(m Member) check.Status {
	table := &p.Unreachable
	if m.Reachable {
		table = &p.Reachable
	}
	if int(m.Status) >= len(table) {
		return table[Unknown]
	}
	return table[m.Status]
}

// resolved returns the policy that p stands for, or an error that names a field
// with a value that is no status.
func (p StatusPolicy) resolved() (StatusPolicy, error) {
	if p == (StatusPolicy{}) {
		return DefaultPolicy(), nil
	}
	for _, t := range []struct {
		name  string
		table StatusTable
	}{{"reachable", p.Reachable}, {"unreachable", p.Unreachable}} {
		for status, health := range t.table {
			if health != health.Known() {
				return p, fmt.Errorf("cluster: status policy %s %v %v: must be Unhealthy, Degraded or Healthy", t.name, Status(status), health)
			}
		}
	}
	return p, nil
}
