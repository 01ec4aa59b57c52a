package cluster_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// TestActive is the table of the specification, with the data of each row (S1.32).
func TestActive(t *testing.T) {
	scoped := cluster.ActivePolicy{Roles: []string{"admin", "driver"}}
	pair := func(self string) cluster.Source {
		return source(available(self, up(b, 1, "admin", "driver"), up(a, 2, "driver"), up(c, 3)))
	}
	for _, tt := range []struct {
		name        string
		src         cluster.Source
		policy      cluster.ActivePolicy
		want        check.Status
		description string
		data        map[string]any
	}{
		{
			"unscoped: the oldest Up member (S1.24)", pair(b),
			cluster.ActivePolicy{},
			check.Healthy, "active",
			map[string]any{"reason": "active", "selfAddress": b, "activeNode": b},
		},
		{
			"unscoped: otherwise (S1.24, S1.30)", pair(a),
			cluster.ActivePolicy{},
			check.Unhealthy, "standby",
			map[string]any{"reason": "standby", "selfAddress": a, "activeNode": b},
		},
		{
			"scoped: the oldest with the first role that it holds (S1.25)", pair(b), scoped,
			check.Healthy, "active",
			map[string]any{"reason": "active", "selfAddress": b, "activeNode": b, "activeRole": "admin"},
		},
		{
			"scoped: it is not (S1.25)", pair(a), scoped,
			check.Unhealthy, "standby",
			map[string]any{"reason": "standby", "selfAddress": a, "activeNode": b, "activeRole": "driver"},
		},
		{
			"scoped: holds none of the listed roles (S1.26)", pair(c), scoped,
			check.Unhealthy, "holds none of the roles asked for",
			map[string]any{"reason": "no_role", "selfAddress": c},
		},
		{
			"scoped: none of the roles, configured (S1.26)", pair(c),
			cluster.ActivePolicy{Roles: scoped.Roles, NoActiveRoleStatus: check.Healthy},
			check.Healthy, "holds none of the roles asked for",
			map[string]any{"reason": "no_role", "selfAddress": c},
		},
		{
			"cluster not yet available (S1.27)", source(nil),
			cluster.ActivePolicy{},
			check.Degraded, "cluster not available yet",
			map[string]any{"reason": "starting"},
		},
		{
			"starting (S1.27)", clustertest.NewScript(a), scoped,
			check.Degraded, "cluster not available yet",
			map[string]any{"reason": "starting", "selfAddress": a},
		},
		{
			"reachable and no Up member in scope (S1.28)", source(available(a, member(a, cluster.Joining, 0))),
			cluster.ActivePolicy{},
			check.Unhealthy, "no Up member in scope",
			map[string]any{"reason": "no_member", "selfAddress": a},
		},
		{
			"not an Up member", source(available(a, member(a, cluster.Leaving, 1), up(b, 2))),
			cluster.ActivePolicy{},
			check.Unhealthy, "not an Up member",
			map[string]any{"reason": "not_up", "selfAddress": a, "activeNode": b},
		},
		{
			"past the fence",
			still{available(a, up(a, 1)), 2 * second},
			cluster.ActivePolicy{},
			check.Unhealthy, "not confirmed by the cluster in time",
			map[string]any{"reason": "expired", "selfAddress": a},
		},
		{
			"held", source(available(b, held(a, 1, second+1), up(b, 2))),
			cluster.ActivePolicy{},
			check.Unhealthy, "waiting for a member that is gone and may still act",
			map[string]any{"reason": "held", "selfAddress": b},
		},
		{
			"not clustered (X2)", source(&cluster.View{State: cluster.NotClustered, Self: key(a)}), scoped,
			check.Healthy, "not clustered",
			map[string]any{"reason": "not_clustered", "selfAddress": a, "activeNode": a},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := ask(t, cluster.Active(tt.src, tt.policy))
			want := check.Result{Status: tt.want, Description: tt.description, Data: tt.data}
			if diff := cmp.Diff(want, r); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestStartDeadline: patience ends one nanosecond past StartWithin (X2).
func TestStartDeadline(t *testing.T) {
	src := clustertest.NewScript(a)
	deadline := cluster.Active(src, cluster.ActivePolicy{StartWithin: time.Minute})
	patient := cluster.Active(src, cluster.ActivePolicy{})
	for _, step := range []struct {
		name string
		d    time.Duration
		want check.Status
	}{
		{"at once", 0, check.Degraded},
		{"at the deadline", time.Minute, check.Degraded},
		{"one nanosecond past it", 1, check.Unhealthy},
		{"much later", 1000 * time.Hour, check.Unhealthy},
	} {
		src.Advance(step.d)
		if r := ask(t, deadline); r.Status != step.want || r.Data["reason"] != "starting" {
			t.Errorf("%s: %v, want %v", step.name, r, step.want)
		}
		if r := ask(t, patient); r.Status != check.Degraded {
			t.Errorf("%s: without a deadline %v", step.name, r)
		}
	}
	src.Join(a)
	src.Up(a)
	src.Confirm(time.Hour)
	if r := ask(t, deadline); r.Status != check.Healthy {
		t.Errorf("after a late start: %v", r)
	}
}

// TestStartDeadlineCountsFromTheWiring: and not from the first probe.
func TestStartDeadlineCountsFromTheWiring(t *testing.T) {
	src := clustertest.NewScript(a)
	c := cluster.Active(src, cluster.ActivePolicy{StartWithin: time.Minute})
	src.Advance(time.Minute + 1)
	if r := ask(t, c); r.Status != check.Unhealthy {
		t.Errorf("the first probe comes late: %v", r)
	}
}

// TestLostContactIsNoStart: after the cluster was available once, to lose it is 503,
// since another node may be active by then. Whoever lost it, and whatever the source
// says then.
func TestLostContactIsNoStart(t *testing.T) {
	lose := map[string]func(*clustertest.Script){
		"the fence passes":        func(s *clustertest.Script) { s.Expire() },
		"no view":                 func(s *clustertest.Script) { s.Set(nil) },
		"a source starts again":   func(s *clustertest.Script) { s.Set(&cluster.View{Revision: 100}) },
		"the node is thrown out":  func(s *clustertest.Script) { s.SetStatus(a, cluster.Down) },
		"all members are removed": func(s *clustertest.Script) { s.Remove(a) },
	}
	for name, lost := range lose {
		t.Run(name, func(t *testing.T) {
			src := clustertest.NewScript(a)
			src.Join(a)
			src.Up(a)
			src.Confirm(time.Hour)
			probed := cluster.Active(src, cluster.ActivePolicy{})
			if r := ask(t, probed); r.Status != check.Healthy {
				t.Fatalf("not active before: %v", r)
			}
			wired := cluster.Active(src, cluster.ActivePolicy{})
			lost(src)
			for range 2 {
				if r := ask(t, probed); r.Status != check.Unhealthy {
					t.Errorf("probed before: %v", r)
				}
				if r := ask(t, wired); r.Status != check.Unhealthy {
					t.Errorf("wired up before, never probed: %v", r)
				}
			}
		})
	}
}

// TestActiveOfABrokenSource: a panic is no start, or it would answer 200 for ever.
func TestActiveOfABrokenSource(t *testing.T) {
	for name, src := range map[string]cluster.Source{
		"view":  broken{Script: activeScript(a, time.Hour), view: true},
		"clock": broken{Script: activeScript(a, time.Hour), now: true},
	} {
		r := ask(t, cluster.Active(src, cluster.ActivePolicy{}))
		if r.Status != check.Unhealthy || r.Description != "the membership source failed" || r.Err == nil || len(r.Data) > 0 {
			t.Errorf("%s: %v", name, r)
		}
	}
	recovered := &broken{Script: clustertest.NewScript(a), now: true}
	c := cluster.Active(recovered, cluster.ActivePolicy{StartWithin: time.Minute})
	recovered.now = false
	recovered.Advance(time.Hour)
	if r := ask(t, c); r.Status != check.Degraded {
		t.Errorf("the first reading that worked begins the wait: %v", r)
	}
}
