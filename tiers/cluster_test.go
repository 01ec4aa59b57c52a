package tiers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
	"github.com/loopvitals/loopvitals/tiers"
)

// The gate of check/cluster has it all, and needs no import of this package.
var (
	_ tiers.Gate     = (*cluster.Gate)(nil)
	_ tiers.Admitter = (*cluster.Gate)(nil)
	_ tiers.Locator  = (*cluster.Gate)(nil)
)

const nodeA, nodeB = "10.0.0.1:4053", "10.0.0.2:4053"

// node is one of a cluster: its picture of it, its active tier and its gate.
type node struct {
	*clustertest.Script
	mux *http.ServeMux
}

func newNode(t *testing.T, src *clustertest.Script, work http.HandlerFunc) node {
	t.Helper()
	g, err := cluster.NewGate(src)
	must(t, err)
	s := tiers.New()
	must(t, s.AddActive("active-node", cluster.Active(src, cluster.ActivePolicy{})))
	n := node{src, mounted(t, s)}
	n.mux.Handle("/orders", tiers.RequireActive(g, work))
	return n
}

// TestClusterOverHTTP walks two nodes through their lives (S1.48, S1.49, R27):
// the tier and the gate of a node agree, all but while it starts; at most one
// node takes orders; and a refusal names the one that does.
func TestClusterOverHTTP(t *testing.T) {
	taken := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	a := newNode(t, clustertest.NewScript(nodeA), taken)
	b := newNode(t, clustertest.NewScript(nodeB), taken)
	both := func(change func(*clustertest.Script)) func() {
		return func() { change(a.Script); change(b.Script) }
	}
	for _, step := range []struct {
		name         string
		change       func()
		tierA, tierB int
		gateA, gateB int
		toldA, toldB string
	}{
		{"starting", func() {}, 200, 200, 503, 503, "", ""},
		{"joining", both(func(s *clustertest.Script) { s.Join(nodeA); s.Join(nodeB) }), 503, 503, 503, 503, "", ""},
		{"both up", both(func(s *clustertest.Script) { s.Up(nodeA); s.Up(nodeB); s.Confirm(time.Minute) }), 200, 503, 204, 503, "", nodeA},
		{"the oldest is cut off", func() { a.Expire(); b.SetReachable(nodeA, false) }, 503, 503, 503, 503, "", nodeA},
		{"and removed", func() { b.Remove(nodeA) }, 503, 200, 503, 204, "", ""},
		{"it comes back, at the lowest address", func() {
			a.Join(nodeB)
			a.Up(nodeB)
			both(func(s *clustertest.Script) { s.Join(nodeA); s.Up(nodeA); s.Confirm(time.Minute) })()
		}, 503, 200, 503, 204, nodeB, ""},
		{"the active one leaves", both(func(s *clustertest.Script) { s.SetStatus(nodeB, cluster.Leaving) }), 200, 503, 204, 503, "", nodeA},
	} {
		step.change()
		for _, n := range []struct {
			of         node
			tier, gate int
			told       string
		}{{a, step.tierA, step.gateA, step.toldA}, {b, step.tierB, step.gateB, step.toldB}} {
			self := n.of.View().Self.Address
			if got := probe(n.of.mux, "GET", "/health/active").Code; got != n.tier {
				t.Errorf("%s: %s: the tier is %d, want %d", step.name, self, got, n.tier)
			}
			rec := probe(n.of.mux, "POST", "/orders")
			if rec.Code != n.gate {
				t.Errorf("%s: %s: the gate is %d, want %d", step.name, self, rec.Code, n.gate)
			}
			if told := fmt.Sprintf(`"activeNode":"%s"}`, n.told); n.told != "" && !strings.HasSuffix(rec.Body.String(), told) ||
				n.told == "" && strings.Contains(rec.Body.String(), "activeNode") {
				t.Errorf("%s: %s: told %s, want %q", step.name, self, rec.Body, n.told)
			}
			if working := n.of.Working(); working != 0 {
				t.Errorf("%s: %s: %d requests are never done", step.name, self, working)
			}
		}
	}
}

// TestClusterEndsRequests: a request knows its token, goes on while the tenure is
// prolonged, ends at the last fence, and is work until then, for which a node
// that leaves waits.
func TestClusterEndsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := clustertest.NewScriptFollowing(clustertest.Clock{}, nodeA)
		src.Join(nodeA)
		src.Up(nodeA)
		src.Confirm(10 * time.Second)
		begun := time.Now()
		n := newNode(t, src, func(w http.ResponseWriter, r *http.Request) {
			if token, ok := cluster.Token(r.Context()); !ok || token != 1 {
				t.Errorf("token %d, %v", token, ok)
			}
			<-r.Context().Done()
			if took := time.Since(begun); took != 18*time.Second {
				t.Errorf("ended after %v", took)
			}
			if !errors.Is(context.Cause(r.Context()), cluster.ErrNotActive) {
				t.Errorf("ended of %v", context.Cause(r.Context()))
			}
			w.WriteHeader(http.StatusConflict)
		})
		done := make(chan int)
		go func() { done <- probe(n.mux, "POST", "/orders").Code }()
		time.Sleep(8 * time.Second)
		src.Confirm(10 * time.Second)
		if working := src.Working(); working != 1 {
			t.Errorf("%d requests are under way", working)
		}
		if code := <-done; code != http.StatusConflict || src.Working() != 0 {
			t.Errorf("%d, %d requests are never done", code, src.Working())
		}
	})
}
