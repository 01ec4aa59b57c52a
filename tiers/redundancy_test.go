package tiers_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/tiers"
)

// A site of check/redundancy has it all, and needs no import of this package.
var (
	_ tiers.Gate      = (*redundancy.Site)(nil)
	_ tiers.Admitter  = (*redundancy.Site)(nil)
	_ tiers.Locator   = (*redundancy.Site)(nil)
	_ tiers.Explainer = (*redundancy.DeniedError)(nil)
)

// warm is one node of a warm pair.
type warm struct {
	*redundancy.Node
	*clustertest.Script
	mux *http.ServeMux
}

func newWarm(t *testing.T, self string, bus redundancy.Bus, work http.HandlerFunc) warm {
	t.Helper()
	w := warm{Script: clustertest.NewScriptFollowing(clustertest.Clock{}, self), mux: http.NewServeMux()}
	for _, address := range []string{nodeA, nodeB} {
		w.Join(address, "driver")
		w.Up(address)
	}
	w.Confirm(time.Hour)
	var err error
	w.Node, err = redundancy.New(redundancy.Config{
		Source: w.Script, Bus: bus, Role: "driver",
		Prober: func(context.Context, cluster.Member) error { return nil },
	}, redundancy.WithClock(clustertest.Clock{}))
	must(t, err)
	w.mux.Handle("POST /write", tiers.RequireActive(w.Site(redundancy.SiteWrite), work))
	w.mux.Handle("/level", w.Node)
	s := tiers.New()
	must(t, s.AddReady("redundancy", w.Node), s.Mount(w.mux))
	return w
}

// TestWarmPairOverHTTP walks a pair through a boot and a fail-over (S4.26, S4.30): at
// most one node takes writes, a refused client is told which of the two kinds of no it
// is and who takes them, and the tier, the level and the gate of a node agree.
func TestWarmPairOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var token uint64
		work := func(w http.ResponseWriter, r *http.Request) {
			token, _ = cluster.Token(r.Context())
			w.WriteHeader(http.StatusNoContent)
		}
		bus := redundancy.NewLocalBus()
		a, b := newWarm(t, nodeA, bus, work), newWarm(t, nodeB, bus, work)
		const unknown = `{"status":"Unhealthy","error":"not primary (role unknown)"`
		type node struct {
			write, ready int
			body, level  string
		}
		want := func(when string, expected map[*warm]node) {
			t.Helper()
			for w, e := range expected {
				self := w.View().Self.Address
				if rec := probe(w.mux, "POST", "/write"); rec.Code != e.write || rec.Body.String() != e.body {
					t.Errorf("%s: %s: a write is %d %s, want %d %s", when, self, rec.Code, rec.Body, e.write, e.body)
				}
				if rec := probe(w.mux, "GET", "/health/ready"); rec.Code != e.ready {
					t.Errorf("%s: %s: ready is %d %s, want %d", when, self, rec.Code, rec.Body, e.ready)
				}
				if rec := probe(w.mux, "GET", "/level"); rec.Body.String() != e.level {
					t.Errorf("%s: %s: the level is %s, want %s", when, self, rec.Body, e.level)
				}
			}
		}
		want("before the run", map[*warm]node{
			&a: {503, 503, unknown + `}`, `{"serviceLevel":0,"role":"unknown","servers":["10.0.0.1:4053"]}`},
			&b: {503, 503, unknown + `,"activeNode":"10.0.0.1:4053"}`, `{"serviceLevel":0,"role":"unknown","primary":"10.0.0.1:4053","servers":["10.0.0.2:4053"]}`},
		})
		stop := run(t, a.Node, b.Node)
		time.Sleep(time.Second)
		want("in the run", map[*warm]node{
			&a: {204, 200, "", `{"serviceLevel":250,"role":"primary","primary":"10.0.0.1:4053","servers":["10.0.0.1:4053"]}`},
			&b: {503, 200, `{"status":"Unhealthy","error":"not primary","activeNode":"10.0.0.1:4053"}`, `{"serviceLevel":240,"role":"secondary","primary":"10.0.0.1:4053","servers":["10.0.0.2:4053"]}`},
		})
		if token != 1 {
			t.Errorf("a write has the token %d", token)
		}
		a.SetStatus(nodeA, cluster.Leaving)
		b.SetStatus(nodeA, cluster.Leaving)
		time.Sleep(time.Second)
		want("the primary leaves", map[*warm]node{
			&a: {503, 503, `{"status":"Unhealthy","error":"not primary","activeNode":"10.0.0.2:4053"}`, `{"serviceLevel":0,"role":"secondary","primary":"10.0.0.2:4053","servers":["10.0.0.1:4053"]}`},
			&b: {204, 200, "", `{"serviceLevel":250,"role":"primary","primary":"10.0.0.2:4053","servers":["10.0.0.2:4053"]}`},
		})
		if token != 2 {
			t.Errorf("a write has the token %d", token)
		}
		stop()
		for _, w := range []warm{a, b} {
			if working := w.Working(); working != 0 {
				t.Errorf("%d writes are never done", working)
			}
		}
	})
}

// run runs nodes until stop is called.
func run(t *testing.T, nodes ...*redundancy.Node) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	for _, n := range nodes {
		go func() { ended <- n.Run(ctx) }()
	}
	return func() {
		cancel()
		for range nodes {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
}
