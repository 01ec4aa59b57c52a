package cluster_test

import (
	"testing"

	"github.com/loopvitals/loopvitals/check/cluster"
)

func TestViewMember(t *testing.T) {
	var missing *cluster.View
	if _, found := missing.Member(key(a)); found {
		t.Error("found in no view")
	}
	v := available(a, up(a, 1), up(b, 2))
	if m, found := v.Member(key(b)); !found || m.Age != 2 {
		t.Errorf("%v, %v", m, found)
	}
	if _, found := v.Member(cluster.Key{Address: a, Incarnation: "later"}); found {
		t.Error("another life is taken for this one")
	}
}

func TestHasRole(t *testing.T) {
	m := up(a, 1, "admin")
	for role, want := range map[string]bool{"admin": true, "driver": false, "Admin": false, "": true} {
		if m.HasRole(role) != want {
			t.Errorf("%q: %v", role, !want)
		}
	}
}
