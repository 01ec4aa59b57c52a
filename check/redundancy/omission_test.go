package redundancy

import (
	"testing"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// TestOmission is S4.6, row by row.
func TestOmission(t *testing.T) {
	omitting := &snapshot{Token: 1, Sequence: 1, Revision: 5, Nodes: []nodeRole{{nodeA, Primary}}}
	pair := func(self cluster.Member) *cluster.View { return viewOf(nodeB, upDriver(nodeA, 1), self) }
	for _, tt := range []struct {
		name string
		s    *snapshot
		view *cluster.View
		role string
		want bool
	}{
		{"omitted, with a peer", omitting, pair(upDriver(nodeB, 2)), driver, true},
		{"Up in the very revision that it was built from", omitting, pair(upDriver(nodeB, 5)), driver, true},
		{"Up one revision later", omitting, pair(upDriver(nodeB, 6)), driver, false},
		{"a host-only entry does not mention it (S4.5)", &snapshot{Revision: 5, Nodes: []nodeRole{{"10.0.0.2", Primary}}}, pair(upDriver(nodeB, 2)), driver, true},
		{"without the role itself", omitting, pair(memberOf(nodeB, cluster.Up, 2)), driver, true},
		{"mentioned", saysPrimary, pair(upDriver(nodeB, 2)), driver, false},
		{"no snapshot", nil, pair(upDriver(nodeB, 2)), driver, false},
		{"no view", omitting, nil, driver, false},
		{"Joining", omitting, pair(memberOf(nodeB, cluster.Joining, 0, driver)), driver, false},
		{"Leaving", omitting, pair(memberOf(nodeB, cluster.Leaving, 2, driver)), driver, false},
		{"not a member", omitting, viewOf(nodeB, upDriver(nodeA, 1)), driver, false},
		{"no peer", omitting, viewOf(nodeB, upDriver(nodeB, 2)), driver, false},
		{"no peer with the role", omitting, viewOf(nodeB, memberOf(nodeA, cluster.Up, 1), upDriver(nodeB, 2)), driver, false},
		{"a peer in the whole cluster", omitting, viewOf(nodeB, memberOf(nodeA, cluster.Up, 1), upDriver(nodeB, 2)), "", true},
		{"the peer is not Up", omitting, viewOf(nodeB, memberOf(nodeA, cluster.Leaving, 1, driver), upDriver(nodeB, 2)), driver, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := omits(tt.s, tt.view, tt.role); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// TestOmissionWarnsOnce: until a snapshot mentions the node again.
func TestOmissionWarnsOnce(t *testing.T) {
	omitting := &snapshot{Token: 1, Sequence: 1, Revision: 5}
	mentioning := told(map[string]Role{nodeB: Secondary})
	view := viewOf(nodeB, upDriver(nodeA, 1), upDriver(nodeB, 2))
	alone := viewOf(nodeB, upDriver(nodeB, 2))
	var o omission
	for i, step := range []struct {
		s    *snapshot
		v    *cluster.View
		want bool
	}{
		{nil, view, false},
		{omitting, alone, false},
		{omitting, view, true},
		{omitting, view, false},
		{omitting, alone, false},
		{nil, view, false},
		{omitting, view, false},
		{mentioning, nil, false},
		{omitting, view, false},
		{mentioning, view, false},
		{mentioning, view, false},
		{omitting, view, true},
		{omitting, view, false},
	} {
		if got := o.see(step.s, step.v, driver); got != step.want {
			t.Errorf("step %d: warns %v, want %v", i, got, step.want)
		}
	}
}
