package cluster_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
	"github.com/loopvitals/loopvitals/tiers"
)

// node is a node with its endpoints, and its picture of the cluster.
type node struct {
	*clustertest.Script
	gate    *cluster.Gate
	health  http.Handler
	guarded http.Handler
}

func newNode(t *testing.T, address string) node {
	t.Helper()
	src := clustertest.NewScript(address)
	gate := newGate(t, src)
	set := tiers.New()
	if err := set.AddActive("active-node", cluster.Active(src, cluster.ActivePolicy{})); err != nil {
		t.Fatal(err)
	}
	health, err := set.Endpoints()
	if err != nil {
		t.Fatal(err)
	}
	work := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	return node{src, gate, health, tiers.RequireActive(gate, work)}
}

// active asks the node as a load balancer does.
func (n node) active(t *testing.T) (code int, activeNode string) {
	t.Helper()
	rec := httptest.NewRecorder()
	n.health.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, tiers.DefaultActivePath, http.NoBody))
	var body struct {
		Entries map[string]struct{ Data map[string]string }
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	return rec.Code, body.Entries["active-node"].Data["activeNode"]
}

// TestLeaderIsNotOldest is CASE-116: A has the lower address all the time, and does
// not get the role back for it (S1.23, S1.29, S1.30).
func TestLeaderIsNotOldest(t *testing.T) {
	nodes := map[string]node{a: newNode(t, a), b: newNode(t, b)}
	every := func(f func(*clustertest.Script)) {
		for _, n := range nodes {
			f(n.Script)
		}
	}
	at := time.Duration(0)
	until := func(d time.Duration) {
		every(func(s *clustertest.Script) { s.Advance(d - at); s.Confirm(10 * time.Second) })
		at = d
	}
	join := func(address string) {
		every(func(s *clustertest.Script) { s.Join(address); s.Up(address) })
	}
	// want is the code of each node; a node that is down is not asked.
	want := func(activeNode string, codes map[string]int) {
		t.Helper()
		for address, code := range codes {
			n := nodes[address]
			if got, named := n.active(t); got != code || named != activeNode {
				t.Errorf("t=%v: %s answers %d and names %q, want %d and %q", at, address, got, named, code, activeNode)
			}
			if n.gate.IsActive() != (code == http.StatusOK) {
				t.Errorf("t=%v: the gate of %s is open: %v", at, address, n.gate.IsActive())
			}
			rec := httptest.NewRecorder()
			n.guarded.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/orders", http.NoBody))
			if rec.Code != code {
				t.Errorf("t=%v: %s answers work with %d, want %d", at, address, rec.Code, code)
			}
		}
	}

	join(a)
	join(b)
	until(10 * time.Second)
	want(a, map[string]int{a: 200, b: 503})

	until(60 * time.Second) // A crashes and is removed
	every(func(s *clustertest.Script) { s.Remove(a) })
	until(65 * time.Second)
	want(b, map[string]int{b: 200})

	until(70 * time.Second)
	join(a) // at the same address
	until(75 * time.Second)
	want(b, map[string]int{a: 503, b: 200})

	until(100 * time.Second)
	every(func(s *clustertest.Script) { s.SetStatus(b, cluster.Leaving) })
	until(105 * time.Second)
	want(a, map[string]int{a: 200, b: 503})
}
