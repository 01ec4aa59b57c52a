package redundancy

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// wantSent waits until nothing moves and compares the number of snapshots that were
// sent.
func (w *world) wantSent(when string, want int) {
	w.t.Helper()
	synctest.Wait()
	if got := len(w.mesh.snapshots()); got != want {
		w.t.Errorf("%s: %d snapshots were sent, want %d", when, got, want)
	}
}

// last is the snapshot that was sent last.
func (w *world) last() *snapshot {
	all := w.mesh.snapshots()
	if len(all) == 0 {
		w.t.Fatal("no snapshot was sent")
	}
	return all[len(all)-1]
}

// TestDebounce is S4.2: a burst of changes is one snapshot, 250 ms after the first of
// them, with the roles of then.
func TestDebounce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start(nodeA)
		w.up(nodeA)
		w.sleep(time.Second)
		w.wantSent("after the first", 1)
		w.up(nodeB)
		w.sleep(200 * time.Millisecond)
		w.up(nodeC)
		w.sleep(50*time.Millisecond - 1)
		w.wantSent("just before 250 ms", 1)
		w.sleep(1)
		w.wantSent("at 250 ms", 2)
		want := []nodeRole{{nodeA, Primary}, {nodeB, Secondary}, {nodeC, Secondary}}
		if diff := cmp.Diff(want, w.last().Nodes); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		w.join(nodeD) // without the role
		w.sleep(250 * time.Millisecond)
		if got := w.last().roleOf(nodeD); got != Detached {
			t.Errorf("a node without the role is %v", got)
		}
		w.wantSent("after another change", 3)
	})
}

// TestHeartbeatsAreNoChange: a view that changes no role causes nothing, and the
// snapshot is repeated every 10 s (S4.3) under the next number.
func TestHeartbeatsAreNoChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start(nodeA)
		w.up(nodeA, nodeB)
		w.sleep(250 * time.Millisecond)
		w.wantSent("the first", 1)
		first := w.last()
		for range 99 {
			time.Sleep(100 * time.Millisecond)
			w.tell()
		}
		w.sleep(100*time.Millisecond - 1)
		w.wantSent("after a hundred heartbeats", 1)
		w.sleep(1)
		w.wantSent("after 10 s", 2)
		second := w.last()
		if !second.newer(first) || second.Sequence != first.Sequence+1 || !slices.Equal(first.Nodes, second.Nodes) {
			t.Errorf("%+v\nand again %+v", first, second)
		}
	})
}

// TestLateNodeConverges is S4.3: who comes after the last change knows its role
// within one interval.
func TestLateNodeConverges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start(nodeA)
		w.up(nodeA, nodeB)
		w.sleep(time.Second)
		b := w.start(nodeB)
		b.key = w.members[w.at(nodeB)].Key
		w.tell()
		synctest.Wait()
		w.wantRole("at first", b, RoleUnknown)
		w.sleep(10*time.Second - 750*time.Millisecond)
		w.wantRole("after the next", b, Secondary)
		w.wantLevel("after the next", b, 240)
	})
}

// TestFailover is S4.4: the next builder reads the roles from its own view, under its
// own, larger token, and the old one, which does not know, may not act from its fence
// on; or at once, when the bus still reaches it.
func TestFailover(t *testing.T) {
	for _, bus := range []bool{true, false} {
		t.Run(fmt.Sprint("bus reaches the old primary ", bus), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { failover(t, bus) })
		})
	}
}

func failover(t *testing.T, bus bool) {
	w := newWorld(t)
	a, b, c := w.start(nodeA), w.start(nodeB), w.start(nodeC)
	w.up(nodeA, nodeB, nodeC)
	w.sleep(time.Second)
	old := w.last()
	w.blind[nodeA] = true
	w.mesh.decide(func(from, to string, _ []byte) []time.Duration {
		if !bus && (from == nodeA) != (to == nodeA) {
			return nil
		}
		return []time.Duration{0}
	})
	w.remove(nodeA)
	w.sleep(250 * time.Millisecond)
	w.wantRole("the next", b, Primary)
	w.wantRole("the other", c, Secondary)
	w.wantLevel("the next", b, 250)
	now := w.last()
	want := []nodeRole{{nodeB, Primary}, {nodeC, Secondary}}
	if diff := cmp.Diff(want, now.Nodes); diff != "" || now.Builder != nodeB || now.Token <= old.Token {
		t.Errorf("%+v after %+v (-want +got):\n%s", now, old, diff)
	}
	if bus {
		w.wantRole("the old primary, once told", a, RoleUnknown)
	} else {
		w.wantRole("the old primary, not told", a, Primary) // by the cluster's fence that is no harm
		w.sleep(tenureOf)
	}
	w.wantRole("the old primary", a, RoleUnknown)
	if err := a.Site(SiteWrite).Allow(); err == nil {
		t.Error("the old primary serves")
	}
	w.sleep(time.Minute)
	if got := w.last().Builder; got != nodeB {
		t.Errorf("built by %s", got)
	}
}

// TestBuilderStops: nothing is built from the fence on, nor by a node that leaves;
// and when the node is confirmed again it tells anew, with larger numbers.
func TestBuilderStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start(nodeA)
		w.up(nodeA)
		w.sleep(time.Second)
		before := w.last()
		time.Sleep(time.Hour) // without a heartbeat
		synctest.Wait()
		w.wantSent("the first, and once more before the fence", 2)
		w.tell()
		w.sleep(250 * time.Millisecond)
		w.wantSent("confirmed again", 3)
		if s := w.last(); s.Token != before.Token || s.Sequence != before.Sequence+2 {
			t.Errorf("%+v after %+v", s, before)
		}
		w.set(nodeA, cluster.Leaving)
		w.sleep(time.Hour)
		w.wantSent("leaving", 3)
	})
}

// TestHeldIsSeen: the end of a hold changes roles without a new view.
func TestHeldIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		b := w.start(nodeB)
		w.up(nodeA, nodeB)
		m := &w.members[w.at(nodeA)]
		m.Status, m.HoldUntil = cluster.Removed, b.script.Now().Add(7*time.Second)
		w.tell()
		w.sleep(7*time.Second - 1)
		w.wantSent("while another may act", 0)
		w.sleep(1)
		w.sleep(250 * time.Millisecond)
		w.wantSent("after that", 1)
		w.wantRole("after that", b, Primary)
		w.wantLevel("after that", b, 250)
	})
}

// TestTheBuilderNeedsNoRole: the oldest of all builds (X1), here one without the role
// that is asked for.
func TestTheBuilderNeedsNoRole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a, b, c := w.start(nodeA), w.start(nodeB), w.start(nodeC)
		w.join(nodeA, "admin")
		w.set(nodeA, cluster.Up)
		w.up(nodeB, nodeC)
		w.sleep(time.Second)
		if s := w.last(); s.Builder != nodeA {
			t.Errorf("built by %s", s.Builder)
		}
		w.wantRole("the builder", a, Detached)
		w.wantRole("the oldest with the role", b, Primary)
		w.wantRole("the other", c, Secondary)
		w.wantLevel("the builder", a, 0)
		w.wantLevel("the oldest with the role", b, 250)
		w.wantLevel("the other", c, 240)
	})
}

// TestOwnCopyIsNotCounted: what a builder hears of itself is neither news nor old.
func TestOwnCopyIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a, b := w.start(nodeA), w.start(nodeB)
		w.up(nodeA, nodeB)
		w.sleep(time.Minute)
		for _, n := range []*actor{a, b} {
			for kind := range Ignored(ignoredCount) {
				if got := ignoredBy(n.Node, kind); got != 0 {
					t.Errorf("%s has ignored %d %v", n.address(), got, kind)
				}
			}
		}
		w.mesh.inject(mustEncode(t, w.last()))
		if got := ignoredBy(a.Node, IgnoredOld); got != 0 {
			t.Errorf("the builder has ignored %d", got)
		}
		if got := ignoredBy(b.Node, IgnoredOld); got != 1 {
			t.Errorf("the other has ignored %d, want the one that came twice", got)
		}
	})
}

func mustEncode(t testing.TB, s *snapshot) []byte {
	t.Helper()
	message, err := encodeSnapshot(s)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// TestBuilderBegins: 250 ms after it became the builder, under whichever token that is,
// also when it has the same as before.
func TestBuilderBegins(t *testing.T) {
	b := builder{role: driver, debounce: 250 * time.Millisecond, republish: 10 * time.Second}
	moment := time.Now()
	look := func(when string, after time.Duration, age uint64, want bool) {
		t.Helper()
		v := viewOf(nodeA, upDriver(nodeA, age))
		if age == 0 {
			v = viewOf(nodeA, memberOf(nodeA, cluster.Leaving, 1, driver))
		}
		moment = moment.Add(after)
		due, _ := b.see(sight{now: viewNow, view: v}, moment)
		if (due != nil) != want || due != nil && due.Token != age {
			t.Errorf("%s: %+v, due %v", when, due, want)
		}
	}
	const debounce = 250 * time.Millisecond
	look("at first", 0, 3, false)
	look("just before", debounce-1, 3, false)
	look("in time", 1, 3, true)
	look("in another life, with no pause between", time.Second, 5, false)
	look("just before that is told", debounce-1, 5, false)
	look("told", 1, 5, true)
	look("stopped", time.Hour, 0, false)
	look("again, with the token of before", time.Hour, 5, false)
	look("just before that is told", debounce-1, 5, false)
	look("told", 1, 5, true)
	look("not told twice", time.Second, 5, false)
}
