package cluster_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// held is a member that was removed before its time.
func held(address string, age uint64, until cluster.Instant, roles ...string) cluster.Member {
	m := member(address, cluster.Removed, age, roles...)
	m.HoldUntil = until
	return m
}

// unreachable is a member that its observer does not hear of.
func unreachable(m cluster.Member) cluster.Member {
	m.Reachable = false
	return m
}

// inState is the view in another state.
func inState(s cluster.State, v *cluster.View) *cluster.View {
	v.State = s
	return v
}

// answer is the part of a Decision that a table names.
type answer struct {
	reason cluster.Reason
	role   string
	holder string
	token  uint64
}

// TestDecide is the rule, row by row. Asked at one second, with the fence at two.
func TestDecide(t *testing.T) {
	admins := []string{"admin"}
	preference := []string{"admin", "driver"}
	for _, tt := range []struct {
		name  string
		view  *cluster.View
		roles []string
		want  answer
	}{
		{name: "no view", want: answer{reason: cluster.ReasonStarting}},
		{name: "the zero view", view: &cluster.View{}, want: answer{reason: cluster.ReasonStarting}},
		{
			name: "starting, whatever else it says (S1.27)",
			view: inState(cluster.Starting, available(a, up(a, 1))),
			want: answer{reason: cluster.ReasonStarting},
		},
		{
			name: "a state that this version does not know",
			view: inState(7, available(a, up(a, 1))),
			want: answer{reason: cluster.ReasonStarting},
		},
		{
			name: "not clustered serves (X2)", roles: admins,
			view: &cluster.View{State: cluster.NotClustered, Self: key(a)},
			want: answer{reason: cluster.ReasonNotClustered, holder: a},
		},
		{
			name: "unscoped: node is the oldest Up member (S1.24)",
			view: available(b, up(a, 9), up(b, 7)),
			want: answer{reason: cluster.ReasonActive, holder: b, token: 7},
		},
		{
			name: "unscoped: otherwise, although the address is lower (S1.30)",
			view: available(a, up(a, 9), up(b, 7)),
			want: answer{reason: cluster.ReasonStandby, holder: b},
		},
		{
			name: "the oldest is not reachable (S1.31)",
			view: available(b, unreachable(up(a, 1)), up(b, 2)),
			want: answer{reason: cluster.ReasonStandby, holder: a},
		},
		{
			name: "the node itself is not reachable (S1.31)",
			view: available(a, unreachable(up(a, 1)), up(b, 2)),
			want: answer{reason: cluster.ReasonActive, holder: a, token: 1},
		},
		{
			name: "an older member is Leaving",
			view: available(b, member(a, cluster.Leaving, 1), up(b, 2)),
			want: answer{reason: cluster.ReasonActive, holder: b, token: 2},
		},
		{
			name: "an older member is WeaklyUp",
			view: available(b, member(a, cluster.WeaklyUp, 1), up(b, 2)),
			want: answer{reason: cluster.ReasonActive, holder: b, token: 2},
		},
		{
			name: "no Up member (S1.28)",
			view: available(a, member(a, cluster.Joining, 0)),
			want: answer{reason: cluster.ReasonNoMember},
		},
		{
			name: "no member at all (S1.28)",
			view: available(a),
			want: answer{reason: cluster.ReasonNoMember},
		},
		{
			name: "an age that is not known is never the oldest (R28)",
			view: available(a, up(a, 0), up(b, 7)),
			want: answer{reason: cluster.ReasonNotUp, holder: b},
		},
		{
			name: "alone, with an age that is not known (R28)",
			view: available(a, up(a, 0)),
			want: answer{reason: cluster.ReasonNoMember},
		},
		{
			name: "the node is not among the members",
			view: available(c, up(a, 1)),
			want: answer{reason: cluster.ReasonNotUp, holder: a},
		},
		{
			name: "an earlier life at the own address (S1.29)",
			view: available("10.0.0.1:4053#2", up(a, 1)),
			want: answer{reason: cluster.ReasonNotUp, holder: a},
		},
		{
			name: "equal ages have one winner",
			view: available(b, up(a, 1), up(b, 1)),
			want: answer{reason: cluster.ReasonStandby, holder: a},
		},

		{
			name: "scoped: the first listed role that the node holds (S1.25)", roles: preference,
			view: available(b, up(a, 1, "driver"), up(b, 2, "driver", "admin")),
			want: answer{reason: cluster.ReasonActive, role: "admin", holder: b, token: 2},
		},
		{
			name: "scoped: a single-role node answers for its own (S1.25)", roles: preference,
			view: available(b, up(a, 1, "admin"), up(b, 2, "driver"), up(c, 3, "driver")),
			want: answer{reason: cluster.ReasonActive, role: "driver", holder: b, token: 2},
		},
		{
			name: "scoped: another is older in the role", roles: preference,
			view: available(b, up(a, 1, "admin", "driver"), up(b, 2, "driver")),
			want: answer{reason: cluster.ReasonStandby, role: "driver", holder: a},
		},
		{
			name: "scoped: holds none of the listed roles (S1.26)", roles: preference,
			view: available(a, up(a, 1, "other"), up(b, 2, "admin")),
			want: answer{reason: cluster.ReasonNoRole},
		},
		{
			name: "scoped: not among the members, so its roles are not known", roles: preference,
			view: available(c, up(a, 1, "admin")),
			want: answer{reason: cluster.ReasonNotUp},
		},
		{
			name: "scoped: an empty role is held by nobody", roles: []string{""},
			view: available(a, up(a, 1)),
			want: answer{reason: cluster.ReasonNoRole},
		},
		{
			name: "scoped: an empty role is passed over", roles: []string{"", "admin"},
			view: available(a, up(a, 1, "admin")),
			want: answer{reason: cluster.ReasonActive, role: "admin", holder: a, token: 1},
		},
		{
			name: "scoped: the node has the role and nobody is Up (S1.28)", roles: admins,
			view: available(a, member(a, cluster.Joining, 0, "admin"), up(b, 1, "driver")),
			want: answer{reason: cluster.ReasonNoMember, role: "admin"},
		},

		{
			name: "an older member was removed before its time (ADR 0020)",
			view: available(b, held(a, 1, second+1), up(b, 2)),
			want: answer{reason: cluster.ReasonHeld},
		},
		{
			name: "its time has passed (ADR 0020)",
			view: available(b, held(a, 1, second), up(b, 2)),
			want: answer{reason: cluster.ReasonActive, holder: b, token: 2},
		},
		{
			name: "a younger one bars nobody (ADR 0020)",
			view: available(b, up(b, 2), held(c, 3, second+1)),
			want: answer{reason: cluster.ReasonActive, holder: b, token: 2},
		},
		{
			name: "one of another role bars nobody (ADR 0020)", roles: admins,
			view: available(b, held(a, 1, second+1, "driver"), up(b, 2, "admin")),
			want: answer{reason: cluster.ReasonActive, role: "admin", holder: b, token: 2},
		},
		{
			name: "only a removed member holds",
			view: func() *cluster.View {
				v := available(b, held(a, 1, second+1), up(b, 2))
				v.Members[0].Status = cluster.Exiting
				return v
			}(),
			want: answer{reason: cluster.ReasonActive, holder: b, token: 2},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := cluster.Decide(tt.view, second, tt.roles...)
			got := answer{d.Reason, d.Role, d.Holder.Address, d.Token}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(answer{})); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
			serves := d.Reason == cluster.ReasonActive || d.Reason == cluster.ReasonNotClustered
			if d.Active != serves {
				t.Errorf("active %v for %v", d.Active, d.Reason)
			}
			if fenced := d.Reason == cluster.ReasonActive; fenced != (d.ValidUntil == 2*second) {
				t.Errorf("valid until %v", d.ValidUntil)
			}
			if tt.view != nil && d.Self != tt.view.Self {
				t.Errorf("self %v, want %v", d.Self, tt.view.Self)
			}
		})
	}
}

// TestOwnStatus: only Up acts.
func TestOwnStatus(t *testing.T) {
	for s := cluster.Unknown; s <= cluster.Removed+1; s++ {
		d := cluster.Decide(available(a, member(a, s, 1)), second)
		if d.Active != (s == cluster.Up) {
			t.Errorf("%v: %v", s, d)
		}
	}
}

// TestFence is the bound of a view's age, to the nanosecond (R2, R28).
func TestFence(t *testing.T) {
	roles := []string{"admin"}
	for _, tt := range []struct {
		name   string
		view   *cluster.View
		now    cluster.Instant
		roles  []string
		reason cluster.Reason
	}{
		{"before", available(a, up(a, 1)), 2*second - 1, nil, cluster.ReasonActive},
		{"at the fence", available(a, up(a, 1)), 2 * second, nil, cluster.ReasonExpired},
		{"after", available(a, up(a, 1)), 2*second + 1, nil, cluster.ReasonExpired},
		{"a standby knows nothing either", available(b, up(a, 1), up(b, 2)), 2 * second, nil, cluster.ReasonExpired},
		{"not among the members", available(c, up(a, 1, "admin")), 2 * second, roles, cluster.ReasonExpired},
		{"roles are fixed, so this is still known", available(a, up(a, 1)), 2 * second, roles, cluster.ReasonNoRole},
		{"never confirmed", &cluster.View{State: cluster.Available, Self: key(a), Members: []cluster.Member{up(a, 1)}}, 0, nil, cluster.ReasonExpired},
		{"not clustered has no fence", &cluster.View{State: cluster.NotClustered}, second, nil, cluster.ReasonNotClustered},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := cluster.Decide(tt.view, tt.now, tt.roles...)
			if d.Reason != tt.reason {
				t.Errorf("reason %v, want %v", d.Reason, tt.reason)
			}
			if d.Reason == cluster.ReasonExpired && d.Holder != (cluster.Key{}) {
				t.Errorf("an expired view names %v as the active node", d.Holder)
			}
		})
	}
}

func TestReasonString(t *testing.T) {
	names(t, cluster.ReasonNoMember, []string{
		"starting", "not_clustered", "active", "standby", "held", "expired", "not_up", "no_role", "no_member", "Reason(9)",
	})
}

func TestStateString(t *testing.T) {
	names(t, cluster.Available, []string{"starting", "not_clustered", "available", "State(3)"})
}

func TestStatusString(t *testing.T) {
	names(t, cluster.Removed, []string{
		"Unknown", "Joining", "WeaklyUp", "Up", "Leaving", "Exiting", "Down", "Removed", "Status(8)",
	})
}

func TestSplitDecisionString(t *testing.T) {
	names(t, cluster.DownOthers, []string{"down_self", "down_others", "SplitDecision(2)"})
}

// names wants the names of all values up to the last one, and of the next.
func names[E interface {
	~uint8
	fmt.Stringer
}](t *testing.T, last E, want []string) {
	t.Helper()
	var got []string
	for e := E(0); e <= last+1; e++ {
		got = append(got, e.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
