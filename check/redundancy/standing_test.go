package redundancy

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// serving are the reasons for which a node is the active one.
var serving = map[cluster.Reason]bool{cluster.ReasonActive: true, cluster.ReasonNotClustered: true}

// TestGateTable is S4.26 for every role, count and reason. What is stricter than there
// is marked.
func TestGateTable(t *testing.T) {
	type row [4]Denial // by count, 0 to 3
	all := func(d Denial) row { return row{d, d, d, d} }
	alone := row{NotDenied, NotDenied, DeniedRoleUnknown, DeniedRoleUnknown}
	table := map[Role]struct{ active, inactive row }{
		Primary:   {all(NotDenied), all(NotDenied)}, // an effective primary is the active node
		Secondary: {all(DeniedSecondary), all(DeniedSecondary)},
		Detached:  {all(DeniedDetached), all(DeniedDetached)},
		RoleUnknown: {
			active:   alone,
			inactive: all(DeniedRoleUnknown), // stricter: alone is not enough
		},
		Detached + 1: {alone, all(DeniedRoleUnknown)}, // one that this version does not know
	}
	for role, want := range table {
		for reason := cluster.ReasonStarting; reason <= cluster.ReasonNoMember; reason++ {
			for count := range 4 {
				expect := want.inactive[count]
				if serving[reason] {
					expect = want.active[count]
				}
				if got := gateRule(role, count, serving[reason]); got != expect {
					t.Errorf("%v, %d with the role, %v: %q, want %q", role, count, reason, got, expect)
				}
			}
		}
	}
}

// TestEffectiveRole is what the gate goes by, for everything that a snapshot can say
// and everything that the cluster can.
func TestEffectiveRole(t *testing.T) {
	same := func(r Role) map[cluster.Reason]Role {
		m := map[cluster.Reason]Role{cluster.ReasonNotClustered: Primary}
		for reason := cluster.ReasonStarting; reason <= cluster.ReasonNoMember; reason++ {
			if reason != cluster.ReasonNotClustered {
				m[reason] = r
			}
		}
		return m
	}
	for told, want := range map[Role]map[cluster.Reason]Role{
		RoleUnknown: same(RoleUnknown),
		Secondary:   same(Secondary),
		Detached:    same(Detached),
		Primary: {
			cluster.ReasonStarting:     RoleUnknown,
			cluster.ReasonNotClustered: Primary,
			cluster.ReasonActive:       Primary,
			cluster.ReasonStandby:      Secondary,
			cluster.ReasonHeld:         RoleUnknown,
			cluster.ReasonExpired:      RoleUnknown,
			cluster.ReasonNotUp:        RoleUnknown,
			cluster.ReasonNoRole:       Detached,
			cluster.ReasonNoMember:     RoleUnknown,
		},
	} {
		for reason, effective := range want {
			s := standing{told: told, own: cluster.Decision{Reason: reason, Active: serving[reason]}}
			if got := s.effective(); got != effective {
				t.Errorf("told %v, own decision %v: %v, want %v", told, reason, got, effective)
			}
		}
	}
}

// TestStanding is the gate on whole views.
func TestStanding(t *testing.T) {
	primaryA := told(map[string]Role{nodeA: Primary, nodeB: Secondary})
	late := func(v *cluster.View) *cluster.View { v.ValidUntil = viewNow; return v }
	starting := viewOf(nodeA, upDriver(nodeA, 1))
	starting.State = cluster.Starting
	held := memberOf(nodeB, cluster.Removed, 1, driver)
	held.HoldUntil = viewNow + 1
	for _, tt := range []struct {
		name      string
		view      *cluster.View
		role      string
		newest    *snapshot
		effective Role
		denial    Denial
		count     int
	}{
		{"no view", nil, driver, primaryA, RoleUnknown, DeniedRoleUnknown, 0},
		{"the zero view", &cluster.View{}, driver, primaryA, RoleUnknown, DeniedRoleUnknown, 0},
		{"starting, whatever else it says", starting, driver, primaryA, RoleUnknown, DeniedRoleUnknown, 0},
		{"starting, no snapshot", starting, driver, nil, RoleUnknown, DeniedRoleUnknown, 0},
		{"works alone (S4.27)", &cluster.View{State: cluster.NotClustered}, driver, nil, Primary, NotDenied, 0},
		{"works alone, whatever a snapshot says", &cluster.View{State: cluster.NotClustered, Self: keyOf(nodeB)}, driver, primaryA, Primary, NotDenied, 0},

		{"primary", viewOf(nodeA, upDriver(nodeA, 1), upDriver(nodeB, 2)), driver, primaryA, Primary, NotDenied, 2},
		{"secondary", viewOf(nodeB, upDriver(nodeA, 1), upDriver(nodeB, 2)), driver, primaryA, Secondary, DeniedSecondary, 2},
		{"secondary, although alone now", viewOf(nodeB, upDriver(nodeB, 2)), driver, primaryA, Secondary, DeniedSecondary, 1},
		{"told primary, and another is older", viewOf(nodeA, upDriver(nodeA, 3), upDriver(nodeB, 2)), driver, primaryA, Secondary, DeniedSecondary, 2},
		{"told primary, behind the fence", late(viewOf(nodeA, upDriver(nodeA, 1), upDriver(nodeB, 2))), driver, primaryA, RoleUnknown, DeniedRoleUnknown, 2},
		{"told primary, alone behind the fence", late(viewOf(nodeA, upDriver(nodeA, 1))), driver, primaryA, RoleUnknown, DeniedRoleUnknown, 1},
		{"told primary, one that was removed may still act", viewOf(nodeA, upDriver(nodeA, 2), held), driver, primaryA, RoleUnknown, DeniedRoleUnknown, 1},
		{"told primary, Leaving", viewOf(nodeA, memberOf(nodeA, cluster.Leaving, 1, driver)), driver, primaryA, RoleUnknown, DeniedRoleUnknown, 0},
		{"told primary in an earlier life, without the role", viewOf(nodeA, memberOf(nodeA, cluster.Up, 3, "admin"), upDriver(nodeB, 2)), driver, primaryA, Detached, DeniedDetached, 1},
		{
			"detached", viewOf(nodeA, memberOf(nodeA, cluster.Up, 1, "admin"), upDriver(nodeB, 2)), driver,
			told(map[string]Role{nodeA: Detached, nodeB: Primary}), Detached, DeniedDetached, 1,
		},

		{"no snapshot, a lone node at boot (S4.26)", viewOf(nodeA, upDriver(nodeA, 1)), driver, nil, RoleUnknown, NotDenied, 1},
		{"no snapshot, a lone driver among others", viewOf(nodeA, upDriver(nodeA, 2), memberOf(nodeB, cluster.Up, 1, "admin")), driver, nil, RoleUnknown, NotDenied, 1},
		{"no snapshot, the peer is only Joining", viewOf(nodeA, upDriver(nodeA, 1), memberOf(nodeB, cluster.Joining, 0, driver)), driver, nil, RoleUnknown, NotDenied, 1},
		{"no snapshot, two are Up", viewOf(nodeA, upDriver(nodeA, 1), upDriver(nodeB, 2)), driver, nil, RoleUnknown, DeniedRoleUnknown, 2},
		{"no snapshot, two are Up and one is not reachable", viewOf(nodeA, upDriver(nodeA, 1), func() cluster.Member { m := upDriver(nodeB, 2); m.Reachable = false; return m }()), driver, nil, RoleUnknown, DeniedRoleUnknown, 2},
		{"no snapshot, Joining beside one that is Up", viewOf(nodeB, upDriver(nodeA, 1), memberOf(nodeB, cluster.Joining, 0, driver)), driver, nil, RoleUnknown, DeniedRoleUnknown, 1},
		{"no snapshot, alone behind the fence", late(viewOf(nodeA, upDriver(nodeA, 1))), driver, nil, RoleUnknown, DeniedRoleUnknown, 1},
		{"no snapshot, without the role", viewOf(nodeA, memberOf(nodeA, cluster.Up, 1, "admin")), driver, nil, RoleUnknown, DeniedRoleUnknown, 0},
		{
			"omitted (S4.28)", viewOf(nodeA, upDriver(nodeA, 1), upDriver(nodeB, 2)), driver,
			told(map[string]Role{nodeB: Secondary}), RoleUnknown, DeniedRoleUnknown, 2,
		},
		{"omitted, and alone", viewOf(nodeA, upDriver(nodeA, 1)), driver, told(nil), RoleUnknown, NotDenied, 1},
		{
			"a host-only id never matches (S4.5)", viewOf(nodeA, upDriver(nodeA, 1), upDriver(nodeB, 2)), driver,
			&snapshot{Nodes: []nodeRole{{"10.0.0.1", Primary}}}, RoleUnknown, DeniedRoleUnknown, 2,
		},

		{"the whole cluster: primary", viewOf(nodeA, memberOf(nodeA, cluster.Up, 1), upDriver(nodeB, 2)), "", primaryA, Primary, NotDenied, 2},
		{"the whole cluster: secondary", viewOf(nodeB, memberOf(nodeA, cluster.Up, 1), upDriver(nodeB, 2)), "", primaryA, Secondary, DeniedSecondary, 2},
		{"the whole cluster: no snapshot, alone", viewOf(nodeA, memberOf(nodeA, cluster.Up, 1)), "", nil, RoleUnknown, NotDenied, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := standingIn(tt.view, viewNow, tt.role, tt.newest)
			if got := s.effective(); got != tt.effective {
				t.Errorf("role %v, want %v", got, tt.effective)
			}
			if got := s.denial(); got != tt.denial {
				t.Errorf("denial %q, want %q", got, tt.denial)
			}
			if got := s.upInRole(); got != tt.count {
				t.Errorf("%d with the role, want %d", got, tt.count)
			}
		})
	}
}

// TestPrimaryAddress: whom a denied caller is sent to.
func TestPrimaryAddress(t *testing.T) {
	roles := told(map[string]Role{nodeA: Primary, nodeB: Secondary})
	for _, tt := range []struct {
		name   string
		view   *cluster.View
		newest *snapshot
		want   string
	}{
		{"no view", nil, roles, ""},
		{"this node", viewOf(nodeA, upDriver(nodeA, 1), upDriver(nodeB, 2)), roles, nodeA},
		{"a peer", viewOf(nodeB, upDriver(nodeA, 1), upDriver(nodeB, 2)), roles, nodeA},
		{"a peer, without a snapshot", viewOf(nodeB, upDriver(nodeA, 1), upDriver(nodeB, 2)), nil, nodeA},
		{"this node, but it may not serve", viewOf(nodeA, upDriver(nodeA, 1), upDriver(nodeB, 2)), nil, ""},
		{"a peer, asked by one without the role", viewOf(nodeB, upDriver(nodeA, 2), memberOf(nodeB, cluster.Up, 1, "admin")), roles, nodeA},
		{"nobody with the role", viewOf(nodeB, memberOf(nodeB, cluster.Up, 1, "admin")), roles, ""},
		{"works alone", &cluster.View{State: cluster.NotClustered, Self: keyOf(nodeA)}, nil, nodeA},
		{"works alone, without an address", &cluster.View{State: cluster.NotClustered}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, known := standingIn(tt.view, viewNow, driver, tt.newest).primary()
			if got != tt.want || known != (tt.want != "") {
				t.Errorf("%q, %v, want %q", got, known, tt.want)
			}
		})
	}
}

// TestNeverLooserThanTheCluster: whatever the view and the snapshot say, what the
// primary gate serves the gate of the cluster would too.
func TestNeverLooserThanTheCluster(t *testing.T) {
	served := 0
	rapid.Check(t, func(t *rapid.T) {
		v, role := drawView(t), rapid.SampledFrom([]string{"", driver, "admin"}).Draw(t, "role")
		now := viewNow.Add(time.Duration(rapid.IntRange(-1, 2).Draw(t, "seconds")) * time.Second)
		var newest *snapshot
		if rapid.Bool().Draw(t, "snapshot") {
			newest = drawSnapshot(t)
		}
		s := standingIn(v, now, role, newest)
		if s.denial() != NotDenied {
			return
		}
		served++
		if d := cluster.Decide(v, now, scope(role)...); !d.Active {
			t.Fatalf("served as %v, where the cluster says %v", s.effective(), d.Reason)
		}
		if s.effective() == RoleUnknown && s.upInRole() > 1 {
			t.Fatal("served with peers and without knowing the role")
		}
	})
	if served == 0 {
		t.Error("nothing was ever served")
	}
}

// drawView draws any view: of any state, with up to four members at three addresses.
func drawView(t *rapid.T) *cluster.View {
	v := &cluster.View{
		State:      cluster.State(rapid.SampledFrom([]int{2, 2, 2, 2, 0, 1, 3}).Draw(t, "state")),
		Revision:   rapid.Uint64Max(6).Draw(t, "revision"),
		ValidUntil: viewNow.Add(time.Second),
	}
	statuses := []cluster.Status{cluster.Up, cluster.Up, cluster.Up, cluster.Joining, cluster.WeaklyUp, cluster.Leaving, cluster.Exiting, cluster.Down, cluster.Removed}
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		v.Members = append(v.Members, cluster.Member{
			Key: cluster.Key{
				Address:     rapid.SampledFrom([]string{nodeA, nodeB, nodeC}).Draw(t, "address"),
				Incarnation: rapid.SampledFrom([]string{"1", "2"}).Draw(t, "incarnation"),
			},
			Status:    rapid.SampledFrom(statuses).Draw(t, "status"),
			Roles:     rapid.SampledFrom([][]string{{driver}, {driver, "admin"}, {"admin"}, nil}).Draw(t, "roles"),
			Age:       rapid.Uint64Max(5).Draw(t, "age"),
			HoldUntil: viewNow.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "hold"))),
		})
	}
	v.Self = keyOf(nodeA)
	if len(v.Members) > 0 && rapid.IntRange(0, 9).Draw(t, "self is a member") > 0 {
		v.Self = rapid.SampledFrom(v.Members).Draw(t, "self").Key
	}
	return v
}

// drawSnapshot draws what some builder could say, true or not.
func drawSnapshot(t *rapid.T) *snapshot {
	s := &snapshot{
		Token:    rapid.Uint64Range(1, 5).Draw(t, "token"),
		Sequence: rapid.Uint64Range(1, 5).Draw(t, "sequence"),
		Revision: rapid.Uint64Max(6).Draw(t, "built from"),
		Builder:  rapid.SampledFrom([]string{nodeA, nodeB, nodeC}).Draw(t, "builder"),
	}
	for _, node := range []string{nodeA, nodeB, nodeC} {
		if r := Role(rapid.Uint8Max(3).Draw(t, node)); r != RoleUnknown {
			s.Nodes = append(s.Nodes, nodeRole{node, r})
		}
	}
	return s
}
