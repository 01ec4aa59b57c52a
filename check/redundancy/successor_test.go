package redundancy

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// succeed ends a Node and runs another in its place, in the same life in the cluster
// and so under the same token.
func (w *world) succeed(old *actor, changes ...func(*Config)) *actor {
	w.t.Helper()
	old.stop()
	synctest.Wait()
	next := w.start(old.address(), changes...)
	next.key = old.key
	w.tell()
	return next
}

// TestSuccessorIsHeard: a process may replace its Node and stay in the cluster. What
// the new one builds is newer than all that the old one built.
func TestSuccessorIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a, b := w.start(nodeA), w.start(nodeB)
		w.up(nodeA, nodeB)
		w.sleep(10 * time.Minute)
		before := w.last()
		a = w.succeed(a)
		w.sleep(time.Second)
		if s := w.last(); s.Token != before.Token || !s.newer(before) {
			t.Errorf("%+v after %+v", s, before)
		}
		w.sleep(time.Minute)
		w.wantLevel("the builder", a, 250)
		w.wantLevel("who hears it", b, 240)
		w.up(nodeC)
		w.sleep(time.Second)
		if s := b.newest(); s.roleOf(nodeC) != Secondary {
			t.Errorf("who hears it knows %+v", s)
		}
		if got := ignoredBy(b.Node, IgnoredOld); got != 0 {
			t.Errorf("%d snapshots were ignored as old", got)
		}
	})
}

// TestSuccessorTestifies is the same for the results of probes.
func TestSuccessorTestifies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t), &wire{}
		a, b := w.start(nodeA, with(p)), w.start(nodeB)
		w.up(nodeA, nodeB)
		w.sleep(10 * time.Minute)
		w.wantLevel("while it answers", b, 240)
		p.answer(nodeB, refuse)
		w.succeed(a, with(p))
		w.sleep(time.Minute)
		w.wantLevel("once it does not", b, 100)
	})
}

// TestDepartureLosesNoResult: the result about one peer is on its way when another,
// whose result it waited behind, departs.
func TestDepartureLosesNoResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t), &wire{}
		goOn := make(chan struct{})
		bus := &badBus{publish: func(ctx context.Context, topic string) error {
			if topic != "probe" {
				return nil
			}
			select {
			case <-goOn:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}}
		p.answer(nodeC, func(ctx context.Context) error { sleep(ctx, time.Second); return ctx.Err() })
		w.start(nodeA, with(p), overBus(bus))
		w.start(nodeB)
		w.up(nodeA, nodeB, nodeC)
		time.Sleep(1500 * time.Millisecond) // that of b is being sent, and that of c waits
		synctest.Wait()
		w.remove(nodeB)
		synctest.Wait()
		close(goOn)
		synctest.Wait()
		for _, r := range w.mesh.results() {
			if r.probed.Address == nodeC && r.prober.Address == nodeA {
				return
			}
		}
		t.Error("the result about the one that stays was lost")
	})
}

// TestFirstSequence: the numbers go on from the clock of the cluster, and a clock that
// stands before its origin does no harm.
func TestFirstSequence(t *testing.T) {
	for _, tt := range []struct {
		now  cluster.Instant
		want uint64
	}{{-5, 0}, {0, 0}, {7, 7}, {1 << 62, 1 << 62}} {
		if got := firstSequence(tt.now); got != tt.want {
			t.Errorf("at %d: %d, want %d", tt.now, got, tt.want)
		}
	}
}
