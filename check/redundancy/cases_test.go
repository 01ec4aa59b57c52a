package redundancy

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// builtElsewhere has a cluster whose builder, node C without the role, is played by the
// test, beside B with the role when the node of the test is to be the secondary.
func builtElsewhere(w *world, secondary bool) (say func(builtAt time.Time, roles map[string]Role)) {
	w.join(nodeC, "admin")
	w.set(nodeC, cluster.Up)
	if secondary {
		w.up(nodeB)
	}
	w.up(nodeA)
	var sequence uint64
	return func(builtAt time.Time, roles map[string]Role) {
		sequence++
		s := told(roles)
		s.Role, s.Builder, s.Token, s.Sequence, s.BuiltAt = driver, nodeC, w.members[0].Age, sequence, builtAt
		w.mesh.inject(mustEncode(w.t, s))
		synctest.Wait()
	}
}

// TestCase106EndToEnd: however wrong the calendar is that a snapshot was stamped with,
// its age counts from when it came in (X27).
func TestCase106EndToEnd(t *testing.T) {
	for _, off := range []time.Duration{0, 5 * time.Second, time.Hour, -40 * time.Second, -1000 * time.Hour} {
		for _, secondary := range []bool{false, true} {
			t.Run(fmt.Sprintf("stamped %v off, secondary %v", off, secondary), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w, s := newWorld(t), &store{}
					a := w.start(nodeA, asking(s))
					say := builtElsewhere(w, secondary)
					w.sleep(99 * time.Second)
					well, roles := uint8(250), map[string]Role{nodeA: Primary, nodeC: Detached}
					if secondary {
						well, roles = 240, map[string]Role{nodeA: Secondary, nodeB: Primary, nodeC: Detached}
					}
					say(time.Now().Add(off), roles)
					w.sleep(100 * time.Millisecond)
					w.wantLevel("at 100.1", a, well)
					w.sleep(19900 * time.Millisecond)
					w.wantLevel("at 120", a, well)
					w.sleep(20 * time.Second)
					w.wantLevel("at 140", a, 200)
				})
			})
		}
	}
}

// TestCase117EndToEnd is the rows of the case through the Publisher: seven publications
// and seven counted.
func TestCase117EndToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(t), &store{}
		answer := make(chan struct{})
		s.then(func(context.Context) error { <-answer; return nil })
		a := w.start(nodeA, asking(s))
		row := func(name string, want ...uint8) {
			t.Helper()
			wantTold(t, name, a.screen, want...)
			var counted uint64
			for _, c := range a.State().LevelChanges {
				counted += c.Count
			}
			if counted != uint64(len(want)) {
				t.Errorf("%s: counted %d changes, want %d", name, counted, len(want))
			}
		}
		row("a: boot", 0)
		say := builtElsewhere(w, true)
		row("up, and not told its role", 0)
		say(time.Now(), map[string]Role{nodeA: Secondary, nodeB: Primary, nodeC: Detached})
		row("b: secondary, no database yet", 0, 100)
		s.then(nil)
		close(answer)
		row("c: database reachable", 0, 100, 240)
		w.remove(nodeB)
		say(time.Now(), map[string]Role{nodeA: Primary, nodeC: Detached})
		row("d: primary", 0, 100, 240, 250)
		w.sleep(30 * time.Second)
		row("the snapshot 30 s old", 0, 100, 240, 250)
		w.sleep(5 * time.Second)
		row("e: older", 0, 100, 240, 250, 200)
		s.then(refuse)
		w.sleep(5 * time.Second)
		say(time.Now(), map[string]Role{nodeA: Primary, nodeC: Detached})
		row("f: a fresh snapshot, database unreachable", 0, 100, 240, 250, 200, 100)
		w.set(nodeA, cluster.Leaving)
		row("g: leaving", 0, 100, 240, 250, 200, 100, 0)
		w.sleep(time.Minute)
		row("h: leaving", 0, 100, 240, 250, 200, 100, 0)
	})
}
