package cluster_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/cluster"
)

// TestPresets is the table of the specification: S1.17, S1.18 and, for Joining under
// the compat preset, X14.
func TestPresets(t *testing.T) {
	const (
		healthy   = check.Healthy
		degraded  = check.Degraded
		unhealthy = check.Unhealthy
	)
	for _, row := range []struct {
		name                        string
		status                      cluster.Status
		byDefault, compat, compatUn check.Status
	}{
		{"Up", cluster.Up, healthy, healthy, degraded},
		{"Joining", cluster.Joining, healthy, degraded, degraded},
		{"Leaving", cluster.Leaving, degraded, degraded, degraded},
		{"Exiting", cluster.Exiting, degraded, degraded, degraded},
		{"WeaklyUp", cluster.WeaklyUp, unhealthy, degraded, degraded},
		{"Down", cluster.Down, unhealthy, degraded, degraded},
		{"Removed", cluster.Removed, unhealthy, degraded, degraded},
		{"Unknown", cluster.Unknown, unhealthy, degraded, degraded},
		{"a status of a later version", cluster.Removed + 1, unhealthy, degraded, degraded},
		{"the last status there can be", 255, unhealthy, degraded, degraded},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, column := range []struct {
				name      string
				policy    cluster.StatusPolicy
				reachable bool
				want      check.Status
			}{
				{"Default", cluster.DefaultPolicy(), true, row.byDefault},
				{"Default, unreachable", cluster.DefaultPolicy(), false, row.byDefault},
				{"zero (S1.20)", cluster.StatusPolicy{}, true, row.byDefault},
				{"zero, unreachable (S1.20)", cluster.StatusPolicy{}, false, row.byDefault},
				{"Compat", cluster.CompatPolicy(), true, row.compat},
				{"Compat, unreachable", cluster.CompatPolicy(), false, row.compatUn},
			} {
				self := member(a, row.status, 1)
				self.Reachable = column.reachable
				r := ask(t, cluster.Membership(source(available(a, self)), column.policy))
				if r.Status != column.want {
					t.Errorf("%s: %v, want %v", column.name, r.Status, column.want)
				}
				if want := "Member status: " + row.status.String(); r.Description != want {
					t.Errorf("%s: description %q, want %q (S1.21)", column.name, r.Description, want)
				}
			}
		})
	}
}

// TestOwnPolicy: a status that a table does not name is Unhealthy (S1.16).
func TestOwnPolicy(t *testing.T) {
	own := cluster.StatusPolicy{
		Reachable: cluster.StatusTable{cluster.Up: check.Healthy, cluster.WeaklyUp: check.Degraded},
	}
	got := map[string]check.Status{}
	for _, s := range []cluster.Status{cluster.Up, cluster.WeaklyUp, cluster.Joining} {
		for name, self := range map[string]cluster.Member{"": member(a, s, 1), " unreachable": unreachable(member(a, s, 1))} {
			got[s.String()+name] = ask(t, cluster.Membership(source(available(a, self)), own)).Status
		}
	}
	want := map[string]check.Status{
		"Up": check.Healthy, "WeaklyUp": check.Degraded, "Joining": check.Unhealthy,
		"Up unreachable": check.Unhealthy, "WeaklyUp unreachable": check.Unhealthy, "Joining unreachable": check.Unhealthy,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPoliciesAreData: changing one that was returned changes no other.
func TestPoliciesAreData(t *testing.T) {
	p := cluster.CompatPolicy()
	p.Reachable[cluster.Down] = check.Unhealthy
	if p == cluster.CompatPolicy() {
		t.Error("policies are shared")
	}
}
