package cluster_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// still is a source whose view and clock stand still.
type still struct {
	view *cluster.View
	now  cluster.Instant
}

func (s still) Now() cluster.Instant     { return s.now }
func (s still) View() *cluster.View      { return s.view }
func (s still) Changed() <-chan struct{} { return nil }

// source shows the view at one second.
func source(v *cluster.View) cluster.Source { return still{v, second} }

// TestMembershipWithoutAView is S1.19: under every policy.
func TestMembershipWithoutAView(t *testing.T) {
	unhealthy := cluster.StatusPolicy{Unreachable: cluster.StatusTable{cluster.Down: check.Degraded}} // else it were zero
	view := available(a, up(a, 1))
	for _, tt := range []struct {
		name        string
		src         cluster.Source
		want        check.Status
		description string
	}{
		{"no view", source(nil), check.Degraded, "cluster not available yet"},
		{"starting", source(inState(cluster.Starting, available(a, up(a, 1)))), check.Degraded, "cluster not available yet"},
		{"a state that is not known", source(inState(7, available(a, up(a, 1)))), check.Degraded, "cluster not available yet"},
		{"at the fence", still{view, view.ValidUntil}, check.Degraded, "not confirmed by the cluster in time"},
		{"just before the fence", still{view, view.ValidUntil - 1}, check.Unhealthy, "Member status: Up"},
		{"reading fails", broken{Script: activeScript(a, time.Hour), view: true}, check.Degraded, "the membership source failed"},
		{"the clock fails", broken{Script: activeScript(a, time.Hour), now: true}, check.Degraded, "the membership source failed"},
		{"not clustered (X2)", source(&cluster.View{State: cluster.NotClustered}), check.Healthy, "not clustered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := ask(t, cluster.Membership(tt.src, unhealthy))
			if r.Status != tt.want || r.Description != tt.description {
				t.Errorf("%v %q, want %v %q", r.Status, r.Description, tt.want, tt.description)
			}
			if r, want := ask(t, cluster.Membership(tt.src, cluster.DefaultPolicy())), tt.want; want == check.Degraded && r.Status != want {
				t.Errorf("default policy: %v, want %v", r.Status, want)
			}
			if failed := tt.description == "the membership source failed"; failed != (r.Err != nil) {
				t.Errorf("error for the log: %v", r.Err)
			}
		})
	}
}

func TestMembershipData(t *testing.T) {
	unconfirmed := available(a, up(a, 1))
	unconfirmed.ConfirmedAt, unconfirmed.ValidUntil = 0, 0
	for _, tt := range []struct {
		name string
		src  cluster.Source
		want map[string]any
	}{
		{
			"available",
			still{available(a, up(a, 1), up(b, 2), member(c, cluster.Joining, 0)), second + cluster.Instant(250*time.Millisecond)},
			map[string]any{"selfAddress": a, "memberStatus": "Up", "upMembers": 2, "confirmedAgeMs": int64(250), "fenceRemainingMs": int64(750)},
		},
		{
			"unreachable members are Up",
			source(available(a, up(a, 1), unreachable(up(b, 2)))),
			map[string]any{"selfAddress": a, "memberStatus": "Up", "upMembers": 2, "confirmedAgeMs": int64(0), "fenceRemainingMs": int64(1000)},
		},
		{
			"past the fence, with what was known last",
			still{available(a, up(a, 1)), 10 * second},
			map[string]any{"selfAddress": a, "memberStatus": "Up", "upMembers": 1, "confirmedAgeMs": int64(9000), "fenceRemainingMs": int64(0)},
		},
		{
			"a stamp ahead of the clock has no negative age (X27)",
			still{available(a, up(a, 1)), 0},
			map[string]any{"selfAddress": a, "memberStatus": "Up", "upMembers": 1, "confirmedAgeMs": int64(0), "fenceRemainingMs": int64(2000)},
		},
		{
			"never confirmed",
			source(unconfirmed),
			map[string]any{"selfAddress": a, "memberStatus": "Up", "upMembers": 1},
		},
		{
			"not among the members",
			source(available(c, up(a, 1))),
			map[string]any{"selfAddress": c, "memberStatus": "Unknown", "upMembers": 1, "confirmedAgeMs": int64(0), "fenceRemainingMs": int64(1000)},
		},
		{"starting", clustertest.NewScript(a), map[string]any{"selfAddress": a}},
		{"no view", source(nil), map[string]any{}},
		{"not clustered", source(&cluster.View{State: cluster.NotClustered, Self: key(a)}), map[string]any{"selfAddress": a}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := ask(t, cluster.Membership(tt.src, cluster.StatusPolicy{}))
			if diff := cmp.Diff(tt.want, r.Data); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMiswired: what can never answer is refused where it is wired up.
func TestMiswired(t *testing.T) {
	src := clustertest.NewScript(a)
	var missing *clustertest.Script
	for _, tt := range []struct {
		name string
		c    check.Checker
		want string
	}{
		{"membership of nothing", cluster.Membership(nil, cluster.StatusPolicy{}), "cluster: source nil: must not be nil"},
		{"membership of a nil pointer", cluster.Membership(missing, cluster.StatusPolicy{}), "cluster: source nil: must not be nil"},
		{
			"a policy with no status",
			cluster.Membership(src, cluster.StatusPolicy{Reachable: cluster.StatusTable{cluster.Down: 7}}),
			"cluster: status policy reachable Down status_7: must be Unhealthy, Degraded or Healthy",
		},
		{
			"a policy with no status, unreachable",
			cluster.Membership(src, cluster.StatusPolicy{Unreachable: cluster.StatusTable{cluster.Up: 3}}),
			"cluster: status policy unreachable Up status_3: must be Unhealthy, Degraded or Healthy",
		},
		{"active of nothing", cluster.Active(nil, cluster.ActivePolicy{}), "cluster: source nil: must not be nil"},
		{"active of a nil pointer", cluster.Active(missing, cluster.ActivePolicy{}), "cluster: source nil: must not be nil"},
		{
			"a role that repeats",
			cluster.Active(src, cluster.ActivePolicy{Roles: []string{"admin", "admin"}}),
			`cluster: role 1 "admin": must not repeat role 0`,
		},
		{
			"no status without a role",
			cluster.Active(src, cluster.ActivePolicy{NoActiveRoleStatus: 3}),
			"cluster: no active role status status_3: must be Unhealthy, Degraded or Healthy",
		},
		{
			"a deadline before the start",
			cluster.Active(src, cluster.ActivePolicy{StartWithin: -1}),
			"cluster: start within -1ns: must not be negative",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := check.NewRunner("node", tt.c, check.Sampling{}); err == nil || err.Error() != tt.want {
				t.Errorf("NewRunner: %v, want %s", err, tt.want)
			}
			if r := tt.c.Check(context.Background()); r.Status != check.Unhealthy {
				t.Errorf("without a runner: %v", r)
			}
		})
	}
}

// TestChecksReadMemory: their answers are never reused.
func TestChecksReadMemory(t *testing.T) {
	src := clustertest.NewScript(a)
	for name, c := range map[string]check.Checker{
		"membership": cluster.Membership(src, cluster.StatusPolicy{}),
		"active":     cluster.Active(src, cluster.ActivePolicy{}),
	} {
		instant, ok := c.(check.Instant)
		if !ok {
			t.Errorf("%s is no check.Instant", name)
			continue
		}
		instant.Instant()
	}
}
