package casmember_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// pair starts a node that becomes the active one, and then another.
func pair(t *testing.T, first, second direct) (active, standby *started) {
	t.Helper()
	active = start(t, first, middle)
	wait(t, 2*ttl, "the first is active", active.active)
	standby = start(t, second, lowest)
	wait(t, 2*ttl, "the second is Up", func() bool { return standby.self().Status == cluster.Up })
	between()
	return active, standby
}

func TestOldestIsActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		a, b := pair(t, e.open(), e.open())
		time.Sleep(10 * ttl)
		if d := cluster.Ask(a); !d.Active || d.Token != a.self().Age || d.Token == 0 {
			t.Errorf("the oldest: %+v", d)
		}
		if d := cluster.Ask(b); d.Active || d.Holder != a.View().Self {
			t.Errorf("the one with the lowest address: %+v", d)
		}
	})
}

// A newcomer cannot know who was removed before it came, so it is not Up before
// the last claim of such a member must have ended.
func TestNewcomerWaitsATTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := start(t, newEngine().open(), lowest)
		time.Sleep(ttl - 1)
		if m := n.self(); m.Status != cluster.Joining || n.active() {
			t.Errorf("just before the TTL: %+v", m)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if m := n.self(); m.Status != cluster.Up || !n.active() {
			t.Errorf("after the TTL: %+v", m)
		}
	})
}

func TestFenceIsCountedFromTheSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kv := newEngine().open()
		n := start(t, kv, lowest)
		time.Sleep(2 * ttl)
		synctest.Wait()
		kv.set(func(_ context.Context, op string) error { // slow, and then nothing at all
			if op == "Update" {
				time.Sleep(300 * time.Millisecond)
				kv.set(cut)
			}
			return nil
		})
		time.Sleep(ttl/3 + 400*time.Millisecond)
		v := n.View()
		if got := n.Now().Sub(v.ConfirmedAt); got != 400*time.Millisecond {
			t.Errorf("confirmed %v ago, and the heartbeat was sent 400ms ago", got)
		}
		if got := v.ValidUntil.Sub(v.ConfirmedAt); got != ttl-margin {
			t.Errorf("good for %v after the sending", got)
		}
		time.Sleep(v.ValidUntil.Sub(n.Now()) - 1)
		if !n.active() {
			t.Error("not active 1ns before the fence")
		}
		time.Sleep(time.Nanosecond)
		if d := cluster.Ask(n); d.Active || d.Reason != cluster.ReasonExpired {
			t.Errorf("at the fence: %+v", d)
		}
	})
}

func TestKilledIsEvictedAfterItsTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		a, b := pair(t, e.open(), e.open())
		last := b.seen(a)
		a.kill()
		time.Sleep(last.Add(ttl).Sub(b.Now()) - 1)
		if m, ok := b.View().Member(a.View().Self); !ok || m.Reachable || b.active() {
			t.Errorf("just before the TTL: %+v", m)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if !b.active() {
			t.Errorf("at the TTL: %+v", cluster.Ask(b))
		}
		if b.log.count("evicted") != 1 {
			t.Error("it was not logged once")
		}
	})
}

// seen is when s has last heard of the other.
func (s *started) seen(other *started) cluster.Instant {
	m, _ := s.View().Member(other.View().Self)
	return m.Seen
}

// The negative control of S4.36: without eviction nothing fails over.
func TestWithoutEvictionNothingFailsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		kv := e.open()
		kv.set(only(cut, "Delete"))
		a, b := pair(t, e.open(), kv)
		a.kill()
		time.Sleep(20 * ttl)
		if d := cluster.Ask(b); d.Active || d.Holder.Address != middle {
			t.Errorf("the survivor: %+v", d)
		}
	})
}

func TestRestartedIsTheYoungest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		a := start(t, e.open(), lowest)
		wait(t, 2*ttl, "the first is active", a.active)
		b := start(t, e.open(), middle)
		wait(t, 2*ttl, "the second is Up", func() bool { return b.self().Status == cluster.Up })
		a.kill()
		again := start(t, e.open(), lowest)
		wait(t, 2*ttl, "the second takes over", b.active)
		wait(t, 2*ttl, "the first is back", func() bool { return again.self().Status == cluster.Up })
		time.Sleep(2 * ttl)
		if !b.active() || again.active() || again.self().Age <= b.self().Age {
			t.Errorf("second %+v, restarted %+v", b.self(), again.self())
		}
	})
}

func TestEngineThatWasAwayChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		first, second := e.open(), e.open()
		a, b := pair(t, first, second)
		token := a.self().Age
		first.set(cut)
		second.set(cut)
		time.Sleep(2 * ttl)
		if a.active() || b.active() {
			t.Error("active without an engine")
		}
		first.set(nil)
		second.set(nil)
		wait(t, ttl, "the same is active", a.active)
		time.Sleep(3 * ttl)
		if !a.active() || a.self().Age != token {
			t.Errorf("the oldest lost its place: %+v", a.self())
		}
	})
}

func TestOperatorDeletesTheActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		first := e.open()
		a, b := pair(t, first, e.open())
		first.set(cut) // it does not hear of it
		fence := a.View().ValidUntil
		seen := b.seen(a)
		e.delete(t, a)
		synctest.Wait()
		if d := cluster.Ask(b); d.Active || d.Reason != cluster.ReasonHeld {
			t.Errorf("after the delete: %+v", d)
		}
		time.Sleep(seen.Add(ttl).Sub(b.Now()) - 1)
		if b.active() {
			t.Error("active before the other must have stopped")
		}
		if a.active() || a.Now() < fence {
			t.Error("the other has not stopped by then")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if !b.active() {
			t.Errorf("when the other has stopped: %+v", cluster.Ask(b))
		}
		first.set(nil)
		wait(t, 5*ttl, "the other is back, and the youngest", func() bool {
			return a.self().Status == cluster.Up && a.self().Age > b.self().Age
		})
		if a.active() || !b.active() {
			t.Error("the other has taken its role back")
		}
	})
}

// delete takes the node's record away, as an operator can.
func (e *engine) delete(t *testing.T, n *started) {
	t.Helper()
	if _, err := e.remove(e.key(n.View().Self.Incarnation), 0); err != nil {
		t.Fatal(err)
	}
}

// The TTL that counts is the longer one: that of the record tells for how long
// its owner goes on.
func TestNodesOfDifferentTTLs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		a := start(t, e.open(), middle, func(c *casmember.Config) { c.TTL = 30 * time.Second })
		wait(t, time.Minute, "the slow one is active", a.active)
		b := start(t, e.open(), lowest, func(c *casmember.Config) { c.TTL = 2 * time.Second })
		wait(t, time.Minute, "the fast one is Up", func() bool { return b.self().Status == cluster.Up })
		a.kill()
		took := wait(t, time.Minute, "the fast one takes over", b.active)
		if took < 20*time.Second {
			t.Errorf("after %v", took)
		}
	})
}
