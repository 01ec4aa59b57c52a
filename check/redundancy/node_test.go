package redundancy

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// TestPair: two nodes become primary and secondary, at 250 and 240 (S4.18).
func TestPair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a, b := w.start(nodeA), w.start(nodeB)
		synctest.Wait()
		w.wantLevel("at boot", a, 0)
		w.wantRole("at boot", b, RoleUnknown)
		w.up(nodeA, nodeB)
		w.sleep(time.Second)
		w.wantRole("a second later", a, Primary)
		w.wantRole("a second later", b, Secondary)
		w.wantLevel("a second later", a, 250)
		w.wantLevel("a second later", b, 240)
		if err := a.Site(SiteWrite).Allow(); err != nil {
			t.Errorf("the primary: %v", err)
		}
		if err := b.Site(SiteWrite).Allow(); err == nil {
			t.Error("the secondary serves")
		}
		w.sleep(time.Hour)
		wantTold(t, "in an hour, the primary", a.screen, 0, 200, 250)
		if got := a.State().Level; got != 250 {
			t.Errorf("state: level %d", got)
		}
	})
}

// TestFreshSecondary: a node that boots beside a primary denies, with role-unknown, until
// the first snapshot that mentions it says that it is the secondary (S4.28, S4.32).
func TestFreshSecondary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start(nodeA)
		w.up(nodeA)
		w.sleep(time.Minute)
		b := w.start(nodeB)
		want := func(when string, want Denial) {
			t.Helper()
			var denied *DeniedError
			if err := b.Site(SiteWrite).Allow(); !errors.As(err, &denied) || denied.Denial != want {
				t.Errorf("%s: %v, want %v", when, err, want)
			}
		}
		want("before it has a view", DeniedRoleUnknown)
		w.join(nodeB, driver)
		synctest.Wait()
		want("joining", DeniedRoleUnknown)
		w.set(nodeB, cluster.Up)
		synctest.Wait()
		want("up", DeniedRoleUnknown)
		w.sleep(250*time.Millisecond - 1)
		want("just before the snapshot", DeniedRoleUnknown)
		w.sleep(1)
		want("told", DeniedSecondary)
		w.wantLevel("told", b, 240)
	})
}

// TestLoneNodeAtBoot: before any snapshot the only driver serves, and one with a peer
// does not (S4.26).
func TestLoneNodeAtBoot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.start(nodeA)
		w.up(nodeA)
		synctest.Wait()
		if err := a.Site(SiteWrite).Allow(); a.Role() != RoleUnknown || err != nil {
			t.Errorf("alone: role %v, %v", a.Role(), err)
		}
		w.up(nodeB)
		synctest.Wait()
		if err := a.Site(SiteWrite).Allow(); a.Role() != RoleUnknown || err == nil {
			t.Errorf("with a peer: role %v, %v", a.Role(), err)
		}
		w.sleep(250 * time.Millisecond)
		if err := a.Site(SiteWrite).Allow(); a.Role() != Primary || err != nil {
			t.Errorf("told: role %v, %v", a.Role(), err)
		}
	})
}

// TestAlone: a node without a cluster is the primary at 250, needs no bus, and probes
// nobody.
func TestAlone(t *testing.T) {
	for _, configured := range []bool{false, true} {
		for _, role := range []string{"", driver} {
			t.Run(fmt.Sprintf("configured %v %q", configured, role), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &store{}
					var src cluster.Source
					if configured {
						var err error
						if src, err = cluster.Standalone(nodeA, "admin"); err != nil {
							t.Fatal(err)
						}
					}
					n, err := New(Config{Source: src, Role: role, Database: s.ping}, WithClock(clustertest.Clock{}))
					if err != nil {
						t.Fatal(err)
					}
					shown := &screen{}
					n.Bind(shown)
					if err := n.Site(SiteWrite).Allow(); err != nil || n.Role() != Primary {
						t.Errorf("before Run: role %v, %v", n.Role(), err)
					}
					ctx, cancel := context.WithCancel(t.Context())
					done := make(chan error)
					go func() { done <- n.Run(ctx) }()
					time.Sleep(time.Hour)
					s.then(refuse)
					time.Sleep(10 * time.Second)
					cancel()
					if err := <-done; err != nil {
						t.Error(err)
					}
					was := shown.was()
					if was[0] == 240 {
						was = was[1:] // it was computed before the database had answered
					}
					wantEqual(t, was, []uint8{250, 100, 0})
					if n.State().SnapshotKnown || len(n.State().Probes) != 0 {
						t.Errorf("state: %+v", n.State())
					}
				})
			})
		}
	}
}

func wantEqual[T any](t *testing.T, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAnotherRole: a member that was configured with another role, or two clusters'
// worth of roles on one bus, takes nobody's role away, and one line says so.
func TestAnotherRole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a, b := w.start(nodeA), w.node(nodeB, func(c *Config) { c.Role = "drivr" })
		w.run(b)
		w.up(nodeA, nodeB)
		w.sleep(time.Minute)
		w.wantRole("as configured", a, Primary)
		if b.Role() != RoleUnknown || b.Site(SiteWrite).Allow() == nil {
			t.Errorf("the other: role %v", b.Role())
		}
		if got := b.log.count("are about another role"); got != 1 {
			t.Errorf("%d warnings, want 1", got)
		}
		if ignoredBy(b.Node, IgnoredStranger) < 5 {
			t.Errorf("ignored %v", b.State().Ignored)
		}
	})
}

// TestLeftOut is S4.6: snapshots that never mention this node while it has a peer are
// warned of once, and it is denied; once one has mentioned it the next time counts
// anew.
func TestLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		b := w.start(nodeB)
		w.up(nodeA, nodeB)
		w.sleep(time.Second)
		var sequence uint64
		say := func(revision uint64, nodes ...nodeRole) {
			sequence++
			w.mesh.inject(mustEncode(t, &snapshot{
				Token: w.members[w.at(nodeA)].Age, Sequence: sequence, Revision: revision, Role: driver, Builder: nodeA, Nodes: nodes,
			}))
			synctest.Wait()
		}
		warnings := func(when string, want int) {
			t.Helper()
			w.sleep(20 * time.Second)
			if got := b.log.count("do not mention this node"); got != want {
				t.Errorf("%s: %d warnings, want %d", when, got, want)
			}
		}
		other := nodeRole{"node-b.lan:4053", Secondary} // the same node, written in another way
		say(b.script.View().Members[1].Age-1, nodeRole{nodeA, Primary})
		warnings("built before the node was up", 0)
		say(w.revision, nodeRole{nodeA, Primary}, other)
		say(w.revision, nodeRole{nodeA, Primary}, other)
		warnings("twice", 1)
		if err := b.Site(SiteWrite).Allow(); err == nil || b.Role() != RoleUnknown {
			t.Errorf("role %v, %v", b.Role(), err)
		}
		say(w.revision, nodeRole{nodeA, Primary}, nodeRole{nodeB, Secondary})
		w.wantRole("mentioned", b, Secondary)
		say(w.revision, nodeRole{nodeA, Primary})
		warnings("omitted again", 2)
		w.remove(nodeA)
		w.sleep(time.Second)
		w.wantRole("alone", b, Primary)
		warnings("alone", 2)
	})
}

// TestBlockedEndpoint is S4.12 and X16 from end to end: only a recent false about this node
// demotes, whoever else gets through outweighs it, and it is forgotten after 30 s.
func TestBlockedEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, fromB, fromC := newWorld(t), &wire{}, &wire{}
		a := w.start(nodeA)
		b := w.start(nodeB, with(fromB))
		w.start(nodeC, with(fromC))
		w.up(nodeA, nodeB)
		w.sleep(7 * time.Second)
		w.wantLevel("well", a, 250)
		fromB.answer(nodeA, refuse)
		w.sleep(5 * time.Second)
		w.wantLevel("blocked", a, 100)
		w.wantLevel("who blocks it, and was not blocked", b, 240)
		if got := probes(b.Node, nodeA); got["failed"] != 1 || got["ok"] != 2 {
			t.Errorf("counted %v", got)
		}
		w.up(nodeC)
		w.sleep(time.Second)
		w.wantLevel("another gets through", a, 250)
		fromC.answer(nodeA, refuse)
		w.sleep(5 * time.Second)
		w.wantLevel("nor does that one", a, 100)
		fromB.answer(nodeA, nil)
		w.sleep(5 * time.Second)
		w.wantLevel("the first does again", a, 250)
		fromB.answer(nodeA, refuse)
		w.sleep(5 * time.Second)
		w.wantLevel("neither", a, 100)
		w.mesh.decide(func(_, to string, _ []byte) []time.Duration { // nothing comes any more
			if to == nodeA {
				return nil
			}
			return []time.Duration{0}
		})
		w.sleep(25 * time.Second)
		w.wantLevel("not yet forgotten", a, 100)
		w.sleep(10 * time.Second)
		w.wantLevel("forgotten", a, 250)
	})
}

// TestTheDepartedDoNotDemote: what a peer found is dropped with the peer.
func TestTheDepartedDoNotDemote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t), &wire{}
		a := w.start(nodeA)
		w.start(nodeB, with(p))
		p.answer(nodeA, refuse)
		w.up(nodeA, nodeB)
		w.sleep(6 * time.Second)
		w.wantLevel("blocked", a, 100)
		w.remove(nodeB)
		w.sleep(time.Second)
		w.wantLevel("alone", a, 250)
	})
}
