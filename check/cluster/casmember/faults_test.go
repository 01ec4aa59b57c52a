package casmember_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

func TestEngineThatIsNotThereYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kv := newEngine().open()
		kv.set(func(context.Context, string) error { return errors.New("wrong password") })
		n := start(t, kv, lowest)
		time.Sleep(10 * ttl)
		if v := n.View(); v.State != cluster.Starting || n.active() {
			t.Errorf("%+v", v)
		}
		if got := n.log.count("wrong password"); got != 2 {
			t.Errorf("the reason was logged %d times, not once for each purpose", got)
		}
		kv.set(nil)
		wait(t, 2*ttl, "it joins", n.active)
		kv.set(cut)
		time.Sleep(2 * ttl)
		if v := n.View(); v.State != cluster.Available {
			t.Errorf("it is Starting again: %+v", v)
		}
	})
}

func TestDriverThatPanics(t *testing.T) {
	for _, op := range []string{"Create", "Update", "Delete", "Get", "Watch", "event"} {
		t.Run(op, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEngine()
				kv := e.open()
				var panics atomic.Int32
				boom := only(func(context.Context, string) error {
					if panics.Add(1) <= 3 {
						panic("boom")
					}
					return nil
				}, op)
				if op == "Get" {
					kv.set(func(ctx context.Context, op string) error {
						if op == "Update" && panics.Load() <= 3 {
							return errors.New("unknown")
						}
						return boom(ctx, op)
					})
				} else {
					kv.set(boom)
				}
				a := start(t, kv, middle)
				b := start(t, e.open(), lowest)
				time.Sleep(4 * ttl)
				b.kill()
				time.Sleep(4 * ttl)
				if !a.active() || panics.Load() < 3 {
					t.Errorf("%+v after %d panics", cluster.Ask(a), panics.Load())
				}
			})
		})
	}
}

func TestDriverThatEndsItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kv := newEngine().open()
		n := start(t, kv, lowest)
		wait(t, 2*ttl, "it is active", n.active)
		between()
		kv.set(only(func(context.Context, string) error { runtime.Goexit(); return nil }, "Update"))
		if err := <-n.run; err == nil || n.active() {
			t.Errorf("Run returned %v, active %v", err, n.active())
		}
	})
}

// A driver that does not heed its context holds up nobody but Run.
func TestDriverThatIsDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kv := newEngine().open()
		n := start(t, kv, lowest)
		wait(t, 2*ttl, "it is active", n.active)
		between()
		release := make(chan struct{})
		kv.set(func(context.Context, string) error { <-release; return errors.New("late") })
		time.Sleep(ttl/3 + time.Millisecond)
		if !n.active() {
			t.Error("not active, though its heartbeat may still be answered")
		}
		time.Sleep(ttl)
		if d := cluster.Ask(n); d.Active || d.Reason != cluster.ReasonExpired {
			t.Errorf("%+v", d)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := n.Leave(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Leave: %v", err)
		}
		close(release)
		if err := <-n.run; err == nil {
			t.Error("Run returned no error")
		}
	})
}

func TestEndOfRunEndsTheClaimAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kv := newEngine().open()
		n := start(t, kv, lowest)
		wait(t, 2*ttl, "it is active", n.active)
		between()
		release := make(chan struct{})
		kv.set(func(context.Context, string) error { <-release; return nil })
		time.Sleep(ttl/3 + time.Millisecond)
		n.kill()
		synctest.Wait()
		if n.active() || n.View().ValidUntil != 0 {
			t.Errorf("%+v", n.View())
		}
		close(release)
		if err := <-n.run; !errors.Is(err, errKilled) || n.active() {
			t.Errorf("Run returned %v", err)
		}
	})
}

// A watch can be dead without a word. It does not show this node's own writes
// then, either.
func TestWatchThatShowsNothingIsBegunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		kv := e.open()
		a := start(t, kv, middle)
		wait(t, 2*ttl, "it is active", a.active)
		between()
		kv.set(only(cut, "event"))
		time.Sleep(ttl / 3)
		b := start(t, e.open(), lowest)
		kv.set(only(func(context.Context, string) error { // what waits for an event waits on
			time.Sleep(ttl / 2)
			return nil
		}, "Watch"))
		time.Sleep(3 * ttl)
		if _, ok := a.View().Member(b.View().Self); !ok {
			t.Error("it has not heard of the newcomer")
		}
		if !a.active() || a.log.count("does not show what this node has written") != 1 {
			t.Error("it has lost its place, or did not log that once")
		}
	})
}

// A watch that is slow to begin is given its time one day, however long it takes.
func TestWatchWithASlowList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kv := newEngine().open()
		kv.set(only(func(ctx context.Context, _ string) error {
			select {
			case <-time.After(ttl + ttl/6):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}, "Watch"))
		n := start(t, kv, lowest)
		wait(t, 10*ttl, "it is active", n.active)
	})
}

// A successor whose watch is dead learns from the engine's answers.
func TestFailoverWithoutAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		kv := e.open()
		a, b := pair(t, e.open(), kv)
		kv.set(only(cut, "event", "Watch"))
		time.Sleep(ttl)
		a.kill()
		took := wait(t, 4*ttl, "the other takes over", b.active)
		if took > 3*ttl {
			t.Errorf("after %v", took)
		}
	})
}

func TestTwoAtOneAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		a := start(t, e.open(), lowest)
		wait(t, 2*ttl, "the first is active", a.active)
		b := start(t, e.open(), lowest)
		select {
		case err := <-b.run:
			if err == nil || !strings.Contains(err.Error(), lowest) {
				t.Errorf("Run returned %v", err)
			}
		case <-time.After(5 * ttl):
			t.Fatal("the younger one goes on")
		}
		time.Sleep(5 * ttl)
		if !a.active() || a.log.count("another node is alive") != 1 {
			t.Errorf("the older one: %+v", cluster.Ask(a))
		}
		if e.key(b.View().Self.Incarnation) != "" {
			t.Error("the younger one has left its record")
		}
	})
}

// A twin is somebody alive, and not who was here before.
func TestRestartIsNoTwin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		a := start(t, e.open(), lowest)
		time.Sleep(10 * ttl)
		between()
		e.delete(t, a) // its former life is known as alive
		time.Sleep(5 * ttl)
		a.kill()
		b := start(t, e.open(), lowest)
		time.Sleep(5 * ttl)
		if !b.active() || b.log.count("another node is alive") != 0 || a.log.count("another node is alive") != 0 {
			t.Errorf("%+v", cluster.Ask(b))
		}
	})
}

func TestMisuse(t *testing.T) {
	var none *casmember.Node
	var zero casmember.Node
	for name, n := range map[string]*casmember.Node{"nil": none, "zero": &zero} {
		t.Run(name, func(t *testing.T) {
			n.Track()()
			_, _ = n.Now(), n.Changed()
			if d := cluster.Ask(n); d.Active || d.Reason != cluster.ReasonStarting {
				t.Errorf("%+v", d)
			}
			if err := n.Run(t.Context()); err == nil {
				t.Error("Run has no error")
			}
			if err := n.Leave(t.Context()); err == nil {
				t.Error("Leave has no error")
			}
		})
	}
}

// A context that is missing is an error of the call, and not the end of the
// process or of the node.
func TestMissingContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var none context.Context
		n := start(t, newEngine().open(), lowest)
		if err := n.Run(none); err == nil || !strings.Contains(err.Error(), "context nil") {
			t.Errorf("Run: %v", err)
		}
		if err := n.Leave(none); err == nil || !strings.Contains(err.Error(), "context nil") {
			t.Errorf("Leave: %v", err)
		}
		wait(t, 2*ttl, "it is active all the same", n.active)
	})
}
