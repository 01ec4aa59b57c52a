package redundancy

import (
	"context"
	"errors"
	"maps"
	"net"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// wire is a Prober that remembers whom it was asked to try, and does what the test
// wants.
type wire struct {
	mu    sync.Mutex
	tried map[cluster.Key]int
	do    map[string]func(context.Context) error // by address; without one it answers
}

func (w *wire) probe(ctx context.Context, peer cluster.Member) error {
	w.mu.Lock()
	if w.tried == nil {
		w.tried = map[cluster.Key]int{}
	}
	w.tried[peer.Key]++
	do := w.do[peer.Address]
	w.mu.Unlock()
	if do != nil {
		return do(ctx)
	}
	return nil
}

// answer changes what becomes of probes of a peer.
func (w *wire) answer(address string, do func(context.Context) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.do == nil {
		w.do = map[string]func(context.Context) error{}
	}
	w.do[address] = do
}

// since returns how often each life was tried since the last call.
func (w *wire) since() map[cluster.Key]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	tried := map[cluster.Key]int{}
	maps.Copy(tried, w.tried)
	clear(w.tried)
	return tried
}

func with(p *wire) func(*Config) { return func(c *Config) { c.Prober = p.probe } }

func refuse(context.Context) error { return errors.New("refused") }

// probes returns a peer's counts, nil when it is not probed.
func probes(n *Node, peer string) map[string]uint64 {
	var counts map[string]uint64
	for _, c := range n.State().Probes {
		if c.Peer == peer {
			if counts == nil {
				counts = map[string]uint64{}
			}
			counts[c.Outcome.String()] += c.Count
		}
	}
	return counts
}

// TestExactlyOneProber is S4.24: one for each other life with the role, at once and
// every 5 s, from its joining to its departure; none for this node itself.
func TestExactlyOneProber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t), &wire{}
		a := w.start(nodeA, with(p))
		want := func(when string, times int, peers ...string) {
			t.Helper()
			synctest.Wait()
			all := map[cluster.Key]int{}
			for _, address := range peers {
				all[w.members[w.at(address)].Key] = times
			}
			if diff := cmp.Diff(all, p.since()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
		want("before it is a member", 0)
		w.up(nodeA)
		w.sleep(time.Minute)
		want("alone", 0)
		w.join(nodeB, driver)
		want("joining, at once", 1, nodeB)
		w.join(nodeC, "admin")
		w.set(nodeC, cluster.Up)
		w.sleep(5*time.Second - 1)
		want("just before the interval", 0)
		w.sleep(1)
		want("after it", 1, nodeB)
		for _, s := range []cluster.Status{cluster.WeaklyUp, cluster.Up, cluster.Leaving} {
			w.set(nodeB, s)
			w.sleep(10 * time.Second)
			want(s.String(), 2, nodeB)
		}
		w.set(nodeB, cluster.Exiting)
		w.sleep(time.Minute)
		want("exiting", 0)
		w.up(nodeB)
		want("a new life", 1, nodeB)
		w.join(nodeB, driver)
		want("yet another, without a departure", 1, nodeB)
		w.sleep(10 * time.Second)
		want("only that", 2, nodeB)
		if got := probes(a.Node, nodeB); got["ok"] != 4 {
			t.Errorf("counted %v, want those since the departure", got)
		}
		w.remove(nodeB)
		w.sleep(time.Minute)
		want("gone", 0)
		if got := a.State().Probes; len(got) != 0 {
			t.Errorf("still shown: %v", got)
		}
		w.up(nodeB)
		synctest.Wait()
		p.since()
		w.set(nodeA, cluster.Down)
		w.sleep(time.Minute)
		want("down itself", 0)
	})
}

// TestProbeOutcomes: each way a probe can end, how it is counted, and what the others
// are told.
func TestProbeOutcomes(t *testing.T) {
	for _, test := range []struct {
		name    string
		do      func(context.Context) error
		outcome string // "": none
		failure bool
	}{
		{"answers", func(context.Context) error { return nil }, "ok", false},
		{"refuses", refuse, "failed", false},
		{"heeds its context", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, "timeout", false},
		{"answers at the limit", func(context.Context) error { time.Sleep(2 * time.Second); return nil }, "timeout", false},
		{"answers just before", func(context.Context) error { time.Sleep(2*time.Second - 1); return nil }, "ok", false},
		{"panics", func(context.Context) error { panic("prober") }, "", true},
		{"ends its goroutine", func(context.Context) error { runtime.Goexit(); return nil }, "", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, p := newWorld(t), &wire{}
				p.answer(nodeB, test.do)
				a := w.start(nodeA, with(p))
				w.up(nodeA, nodeB)
				w.sleep(3 * time.Second)
				want := map[string]uint64{"ok": 0, "failed": 0, "timeout": 0}
				if test.outcome != "" {
					want[test.outcome] = 1
				}
				if diff := cmp.Diff(want, probes(a.Node, nodeB)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				results := w.mesh.results()
				switch {
				case test.outcome == "" && len(results) != 0:
					t.Errorf("the others were told %+v", results)
				case test.outcome == "":
				case len(results) != 1 || results[0].ok != (test.outcome == "ok") || results[0].prober != a.key || results[0].probed.Address != nodeB:
					t.Errorf("the others were told %+v", results)
				}
				if failed := ignoredBy(a.Node, IgnoredFailure) > 0; failed != test.failure {
					t.Errorf("counted as a failure: %v", failed)
				}
			})
		})
	}
}

// TestProberHangs: one that never returns costs one goroutine for each address, over
// all lives of the peer there; the peer counts as not reachable meanwhile, others are
// probed, and when it returns all is well again.
func TestProberHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p, goOn := newWorld(t), &wire{}, make(chan struct{})
		hung := 0
		p.answer(nodeB, func(context.Context) error { hung++; <-goOn; return nil })
		a := w.start(nodeA, with(p))
		w.up(nodeA, nodeB, nodeC)
		w.sleep(time.Minute)
		for range 20 {
			w.up(nodeB)
			w.sleep(time.Second)
		}
		w.sleep(time.Minute)
		if hung != 1 {
			t.Errorf("%d calls hang, want 1", hung)
		}
		got := probes(a.Node, nodeB)
		if got["timeout"] < 10 || got["ok"] != 0 {
			t.Errorf("counted %v", got)
		}
		if got := probes(a.Node, nodeC); got["ok"] < 20 || got["timeout"] != 0 {
			t.Errorf("of the other peer counted %v", got)
		}
		p.answer(nodeB, nil)
		close(goOn)
		w.sleep(10 * time.Second)
		if again := probes(a.Node, nodeB); again["ok"] < 1 {
			t.Errorf("after it returned counted %v", again)
		}
	})
}

// TestStopsInTime: a departure ends the context of a probe under way, and what comes
// of it is no result.
func TestStopsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t), &wire{}
		ended := time.Duration(-1)
		p.answer(nodeB, func(ctx context.Context) error {
			began := time.Now()
			<-ctx.Done()
			ended = time.Since(began)
			return ctx.Err()
		})
		w.start(nodeA, with(p))
		w.up(nodeA, nodeB)
		w.sleep(time.Second)
		w.remove(nodeB)
		synctest.Wait()
		if ended != time.Second {
			t.Errorf("the probe ended after %v, want at the departure", ended)
		}
		if results := w.mesh.results(); len(results) != 0 {
			t.Errorf("the others were told %+v", results)
		}
	})
}

// TestConnect is S4.25: the default prober connects.
func TestConnect(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	peer := cluster.Member{Key: cluster.Key{Address: l.Addr().String()}}
	if err := connect(t.Context(), peer); err != nil {
		t.Errorf("a server that listens: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := connect(t.Context(), peer); err == nil {
		t.Error("a server that is gone: answered")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := connect(ctx, peer); err == nil {
		t.Error("a context that has ended: answered")
	}
}
