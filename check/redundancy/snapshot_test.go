package redundancy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopvitals/loopvitals/check/cluster"
)

func TestRoleNames(t *testing.T) {
	var roles, reaches []string
	for r := RoleUnknown; r <= Detached+1; r++ {
		roles = append(roles, r.String())
	}
	for r := ReachUnknown; r <= Unreachable+1; r++ {
		reaches = append(reaches, r.String())
	}
	if diff := cmp.Diff([]string{"unknown", "primary", "secondary", "detached", "Role(4)"}, roles); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"unknown", "reachable", "unreachable", "Reach(3)"}, reaches); diff != "" {
		t.Errorf("reaches (-want +got):\n%s", diff)
	}
}

// TestRolesIn is S4.1: what a builder says of everybody.
func TestRolesIn(t *testing.T) {
	expired := viewOf(nodeA, upDriver(nodeA, 1), upDriver(nodeB, 2))
	expired.ValidUntil = viewNow
	held := memberOf(nodeC, cluster.Removed, 1, driver)
	held.HoldUntil = viewNow + 1
	life := func(incarnation string, m cluster.Member) cluster.Member { m.Incarnation = incarnation; return m }
	for _, tt := range []struct {
		name string
		view *cluster.View
		role string
		want []nodeRole
	}{
		{"no view", nil, driver, nil},
		{"nobody", viewOf(nodeA), driver, []nodeRole{}},
		{"a pair", viewOf(nodeB, upDriver(nodeA, 1), upDriver(nodeB, 2)), driver, []nodeRole{{nodeA, Primary}, {nodeB, Secondary}}},
		{
			"the oldest, and not the lowest address, is the primary (X1)",
			viewOf(nodeA, upDriver(nodeB, 1), upDriver(nodeA, 2)), driver,
			[]nodeRole{{nodeA, Secondary}, {nodeB, Primary}},
		},
		{
			"without the role", viewOf(nodeA, memberOf(nodeA, cluster.Up, 1, "admin"), upDriver(nodeB, 2)), driver,
			[]nodeRole{{nodeA, Detached}, {nodeB, Primary}},
		},
		{
			"the whole cluster", viewOf(nodeA, memberOf(nodeA, cluster.Up, 1), memberOf(nodeB, cluster.Up, 2, "admin")), "",
			[]nodeRole{{nodeA, Primary}, {nodeB, Secondary}},
		},
		{
			"on its way in or out, but here", viewOf(nodeA,
				memberOf(nodeA, cluster.Joining, 0, driver), memberOf(nodeB, cluster.WeaklyUp, 1, driver),
				memberOf(nodeC, cluster.Leaving, 2, driver), memberOf(nodeD, cluster.Exiting, 3, driver)), driver,
			[]nodeRole{{nodeA, Secondary}, {nodeB, Secondary}, {nodeC, Secondary}, {nodeD, Secondary}},
		},
		{
			"gone", viewOf(nodeA, upDriver(nodeA, 3), memberOf(nodeB, cluster.Down, 1, driver), memberOf(nodeC, cluster.Removed, 2, driver)), driver,
			[]nodeRole{{nodeA, Primary}},
		},
		{
			"one that was removed may still act", viewOf(nodeA, upDriver(nodeA, 2), upDriver(nodeB, 3), held), driver,
			[]nodeRole{{nodeA, Secondary}, {nodeB, Secondary}},
		},
		{"a view that is not valid", expired, driver, []nodeRole{{nodeA, Secondary}, {nodeB, Secondary}}},
		{
			"two lives of one node: what it may do counts", viewOf(nodeB,
				life("1", memberOf(nodeA, cluster.Leaving, 1, driver)), life("2", upDriver(nodeA, 2)), upDriver(nodeB, 3)), driver,
			[]nodeRole{{nodeA, Primary}, {nodeB, Secondary}},
		},
		{
			"an address that is nobody's name (S4.5)",
			viewOf(nodeA, upDriver(nodeA, 1), upDriver("10.0.0.2", 2), upDriver("Node-C:1", 3), upDriver("", 4)), driver,
			[]nodeRole{{nodeA, Primary}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, rolesIn(tt.view, viewNow, tt.role)); diff != "" {
				t.Errorf("roles (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRolesAgreeWithTheCluster: in any view there is at most one primary, it is whom the
// cluster's own rule names, and what is said can be sent.
func TestRolesAgreeWithTheCluster(t *testing.T) {
	primaries := 0
	rapid.Check(t, func(t *rapid.T) {
		v := drawView(t)
		role := rapid.SampledFrom([]string{"", driver}).Draw(t, "role")
		nodes := rolesIn(v, viewNow, role)
		found := ""
		for _, n := range nodes {
			if n.Role != Primary {
				continue
			}
			if found != "" {
				t.Fatalf("%s and %s are primary", found, n.Node)
			}
			found = n.Node
			primaries++
		}
		holder, _ := cluster.Holder(v, viewNow, role)
		if found != holder.Address {
			t.Fatalf("primary %q, and the cluster says %q", found, holder.Address)
		}
		s := &snapshot{Token: 1, Sequence: 1, Builder: nodeA, Nodes: nodes}
		if _, err := encodeSnapshot(s); err != nil {
			t.Fatal(err)
		}
		for _, m := range v.Members {
			here := m.Status < cluster.Down
			if r := s.roleOf(m.Address); here && (r == RoleUnknown || r == Detached && m.HasRole(role)) {
				t.Fatalf("%+v is %v", m, r)
			}
		}
	})
	if primaries == 0 {
		t.Error("no view had a primary")
	}
}

// TestNewer is the order of versions, whatever the calendar says.
func TestNewer(t *testing.T) {
	for _, tt := range []struct {
		token, sequence       uint64
		oldToken, oldSequence uint64
		want                  bool
	}{
		{1, 1, 1, 1, false},
		{1, 2, 1, 1, true},
		{1, 1, 1, 2, false},
		{2, 1, 1, 9, true},
		{1, 9, 2, 1, false},
		{1<<64 - 1, 1, 1, 1, true},
	} {
		s, old := &snapshot{Token: tt.token, Sequence: tt.sequence}, &snapshot{Token: tt.oldToken, Sequence: tt.oldSequence}
		if got := s.newer(old); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	if !(&snapshot{Token: 1, Sequence: 1}).newer(nil) {
		t.Error("the first snapshot is not newer than none")
	}
}

// TestRoleOf is S4.5 and S4.28: a node is found by its whole id or not at all.
func TestRoleOf(t *testing.T) {
	s := &snapshot{Nodes: []nodeRole{{nodeA, Primary}, {nodeB, Secondary}, {nodeD, Detached}}}
	for node, want := range map[string]Role{
		nodeA: Primary, nodeB: Secondary, nodeD: Detached,
		nodeC: RoleUnknown, "10.0.0.1": RoleUnknown, "10.0.0.1:405": RoleUnknown, "10.0.0.1:40530": RoleUnknown, "": RoleUnknown,
	} {
		if got := s.roleOf(node); got != want {
			t.Errorf("%q is %v, want %v", node, got, want)
		}
	}
	var missing *snapshot
	if missing.roleOf(nodeA) != RoleUnknown || (&snapshot{}).roleOf("") != RoleUnknown {
		t.Error("no snapshot mentions somebody")
	}
}
