package casmember_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// leaving has the node leave, and returns what Leave returns.
func leaving(ctx context.Context, n *started) <-chan error {
	left := make(chan error, 1)
	go func() { left <- n.Leave(ctx) }()
	synctest.Wait()
	return left
}

func TestLeaveHandsOverAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		a, b := pair(t, e.open(), e.open())
		before := time.Now()
		if err := a.Leave(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-a.run; err != nil {
			t.Errorf("Run returned %v", err)
		}
		synctest.Wait()
		if took := time.Since(before); took != 0 || !b.active() || a.active() {
			t.Errorf("after %v: %+v", took, cluster.Ask(b))
		}
		if m, ok := b.View().Member(a.View().Self); ok {
			t.Errorf("it is still there: %+v", m)
		}
		if err := a.Leave(t.Context()); err != nil {
			t.Errorf("leaving again: %v", err)
		}
	})
}

// F7: the statuses come in their order, after the work is done.
func TestLeaveWaitsForWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		a, b := pair(t, e.open(), e.open())
		done := a.Track()
		a.Track()() // work that has ended already
		left := leaving(t.Context(), a)
		if a.active() || a.self().Status != cluster.Leaving {
			t.Errorf("it has not stopped at once: %+v", cluster.Ask(a))
		}
		time.Sleep(ttl / 2)
		if m, _ := b.View().Member(a.View().Self); m.Status != cluster.Up || b.active() {
			t.Errorf("told before the work was done: %+v", m)
		}
		done()
		done()
		synctest.Wait()
		if err := <-left; err != nil || !b.active() {
			t.Errorf("%v, %+v", err, cluster.Ask(b))
		}
		statuses := slices.Compact(e.statuses(a.View().Self))
		if want := []string{"Joining", "Up", "Leaving", "Exiting", "deleted"}; !slices.Equal(statuses, want) {
			t.Errorf("wrote %v", statuses)
		}
	})
}

// Work that does not end has lost its claim at the fence, and had a margin to
// notice.
func TestLeaveWaitsNoLongerThanTheClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		a, b := pair(t, e.open(), e.open())
		a.Track()
		end := a.View().ValidUntil.Add(margin)
		left := leaving(t.Context(), a)
		time.Sleep(end.Sub(a.Now()) - 1)
		synctest.Wait()
		if b.active() {
			t.Error("handed over before the work's claim has run out")
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if err := <-left; err != nil || !b.active() {
			t.Errorf("%v, %+v", err, cluster.Ask(b))
		}
	})
}

func TestLeaveGoesOnThroughFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		kv := e.open()
		a, b := pair(t, kv, e.open())
		var calls atomic.Int32
		kv.set(func(_ context.Context, op string) error {
			if op != "event" && calls.Add(1)%2 == 1 {
				return errors.New("again")
			}
			return nil
		})
		if err := a.Leave(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if !b.active() {
			t.Errorf("%+v", cluster.Ask(b))
		}
	})
}

func TestLeaveGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		kv := e.open()
		a, b := pair(t, kv, e.open())
		kv.set(cut)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := a.Leave(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		if a.active() {
			t.Error("still active")
		}
		if err := <-a.run; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run returned %v", err)
		}
		wait(t, 2*ttl, "the other takes over", b.active)
		if err := a.Leave(t.Context()); err == nil {
			t.Error("leaving again has no error, though the record was left")
		}
	})
}

func TestLeaveWhileAHeartbeatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		kv := e.open()
		a, b := pair(t, kv, e.open())
		kv.set(only(cut, "Update"))
		time.Sleep(ttl/3 + 10*time.Millisecond)
		kv.set(nil)
		before := time.Now()
		if err := a.Leave(t.Context()); err != nil || time.Since(before) > 200*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(before))
		}
		synctest.Wait()
		if !b.active() {
			t.Errorf("%+v", cluster.Ask(b))
		}
	})
}

func TestLeaveWithoutARecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kv := newEngine().open()
		kv.set(func(context.Context, string) error { return errors.New("no engine") })
		n := start(t, kv, lowest)
		time.Sleep(time.Second)
		left := leaving(t.Context(), n)
		kv.set(nil) // and the record was never made
		time.Sleep(time.Second)
		if err := <-left; err != nil {
			t.Error(err)
		}
	})
}

func TestLeaveOutsideOfRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, err := casmember.New(newEngine().open(), casmember.Config{Address: lowest})
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Leave(t.Context()); err != nil {
			t.Errorf("before Run: %v", err)
		}
		if err := n.Run(t.Context()); err == nil {
			t.Error("it runs after it has left")
		}
		other := start(t, newEngine().open(), lowest)
		synctest.Wait()
		if err := other.Run(t.Context()); err == nil {
			t.Error("it runs twice")
		}
		other.kill()
		if err := <-other.run; !errors.Is(err, errKilled) {
			t.Errorf("Run returned %v", err)
		}
		if err := other.Leave(t.Context()); err == nil {
			t.Error("leave after Run has no error, though the record was left")
		}
	})
}
