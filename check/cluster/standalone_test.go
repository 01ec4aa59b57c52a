package cluster_test

import (
	"testing"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/cluster"
)

// TestStandalone: a node that works alone on purpose serves, whatever is asked (X2).
func TestStandalone(t *testing.T) {
	src, err := cluster.Standalone("[::ffff:10.0.0.1]:4053", "driver")
	if err != nil {
		t.Fatal(err)
	}
	for _, roles := range [][]string{nil, {"driver"}, {"admin"}} {
		gate := newGate(t, src, roles...)
		if node, known := gate.ActiveNode(); !gate.IsActive() || node != a || !known {
			t.Errorf("roles %v: active %v, node %q", roles, gate.IsActive(), node)
		}
		if r := ask(t, cluster.Active(src, cluster.ActivePolicy{Roles: roles})); r.Status != check.Healthy {
			t.Errorf("roles %v: %v", roles, r)
		}
	}
	if r := ask(t, cluster.Membership(src, cluster.StatusPolicy{})); r.Status != check.Healthy || r.Description != "not clustered" {
		t.Errorf("membership %v", r)
	}
	v := src.View()
	if m, found := v.Member(v.Self); !found || m.Status != cluster.Up || !m.HasRole("driver") || m.Age != 0 {
		t.Errorf("member %v, %v", m, found)
	}
	select {
	case <-src.Changed():
		t.Error("a node that works alone has changed")
	default:
	}
}

func TestStandaloneWithoutAnAddress(t *testing.T) {
	src, err := cluster.Standalone("")
	if err != nil {
		t.Fatal(err)
	}
	gate := newGate(t, src)
	if node, known := gate.ActiveNode(); !gate.IsActive() || known {
		t.Errorf("active %v, node %q, known %v", gate.IsActive(), node, known)
	}
	r := ask(t, cluster.Active(src, cluster.ActivePolicy{}))
	if len(r.Data) != 1 || r.Data["reason"] != "not_clustered" {
		t.Errorf("data %v", r.Data)
	}
}

func TestStandaloneRefuses(t *testing.T) {
	if _, err := cluster.Standalone("10.0.0.1"); err == nil {
		t.Error("an address without a port is taken")
	}
	if _, err := cluster.Standalone("", "admin", "admin"); err == nil {
		t.Error("a role that repeats is taken")
	}
}
