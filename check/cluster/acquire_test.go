package cluster_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// admissions are the two ways in.
var admissions = map[string]func(*cluster.Gate, context.Context) (context.Context, func(), error){
	"Acquire": (*cluster.Gate).Acquire,
	"Enter":   (*cluster.Gate).Enter,
}

// watched remembers how much work was counted when it was asked for its view.
type watched struct {
	*clustertest.Script
	counted int
}

func (s *watched) View() *cluster.View {
	s.counted = s.Working()
	return s.Script.View()
}

// TestWorkIsCountedBeforeItIsDecided is what a graceful leave rests on: in the
// other order a node could give up its role after the decision, see no work and
// hand over while the work begins.
func TestWorkIsCountedBeforeItIsDecided(t *testing.T) {
	for name, admit := range admissions {
		t.Run(name, func(t *testing.T) {
			src := &watched{Script: activeScript(a, time.Hour)}
			_, release, err := admit(newGate(t, src), t.Context())
			if err != nil || src.counted != 1 {
				t.Fatalf("error %v, counted %d when it was decided, want 1", err, src.counted)
			}
			if n := src.Working(); n != 1 {
				t.Errorf("counted %d while it works, want 1", n)
			}
			release()
			release()
			if n := src.Working(); n != 0 {
				t.Errorf("counted %d after release, want 0", n)
			}
		})
	}
}

// TestLeaveSeesAllWorkConcurrentSafe has a node leave while work comes in.
func TestLeaveSeesAllWorkConcurrentSafe(t *testing.T) {
	for name, admit := range admissions {
		t.Run(name, func(t *testing.T) {
			for range 200 {
				src := activeScript(a, time.Hour)
				gate := newGate(t, src)
				var handedOver atomic.Bool
				var workers sync.WaitGroup
				for range 4 {
					workers.Go(func() {
						for {
							_, release, err := admit(gate, context.Background())
							if err != nil {
								return
							}
							if handedOver.Load() {
								t.Error("work was let in and not waited for")
							}
							release()
						}
					})
				}
				src.SetStatus(a, cluster.Leaving)
				for src.Working() > 0 {
					time.Sleep(time.Microsecond)
				}
				handedOver.Store(true)
				workers.Wait()
			}
		})
	}
}

func TestAcquireEndsAtTheFence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := activeScript(a, 10*time.Second)
		began := time.Now()
		time.Sleep(time.Second) // the fence is counted from the heartbeat, and not from here
		ctx, release, err := newGate(t, src).Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		if deadline, ok := ctx.Deadline(); !ok || !deadline.Equal(began.Add(10*time.Second)) {
			t.Errorf("deadline %v, want the fence", deadline.Sub(began))
		}
		src.Confirm(10 * time.Second) // one unit of work keeps its deadline
		time.Sleep(9*time.Second - 1)
		synctest.Wait()
		if ended(ctx) {
			t.Error("the work ended before the fence")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) || !errors.Is(context.Cause(ctx), cluster.ErrNotActive) {
			t.Errorf("at the fence: %v, cause %v", ctx.Err(), context.Cause(ctx))
		}
	})
}

func TestAcquireKeepsAnEarlierDeadline(t *testing.T) {
	src := activeScript(a, time.Hour)
	want := time.Now().Add(time.Minute)
	outer, cancel := context.WithDeadline(t.Context(), want)
	defer cancel()
	ctx, release, err := newGate(t, src).Acquire(outer)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if deadline, _ := ctx.Deadline(); !deadline.Equal(want) {
		t.Errorf("deadline %v, want %v", deadline, want)
	}
}

func TestWorkCarriesItsToken(t *testing.T) {
	for name, admit := range admissions {
		t.Run(name, func(t *testing.T) {
			src := clustertest.NewScript(a)
			src.Join(b)
			src.Up(b)
			src.Remove(b)
			src.Join(a)
			src.Up(a)
			src.Confirm(time.Hour)
			ctx, release, err := admit(newGate(t, src), t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			if token, ok := cluster.Token(ctx); token != 2 || !ok {
				t.Errorf("token %d, %v, want the age, 2", token, ok)
			}

			alone, err := cluster.Standalone("")
			if err != nil {
				t.Fatal(err)
			}
			inner, releaseInner, err := admit(newGate(t, alone), ctx)
			if err != nil {
				t.Fatal(err)
			}
			if token, ok := cluster.Token(inner); ok {
				t.Errorf("a node that works alone hands out the token %d of another gate", token)
			}
			if _, ok := inner.Deadline(); ok && name == "Enter" {
				t.Error("a node that works alone has a fence")
			}
			releaseInner()
			if !ended(inner) || ended(ctx) {
				t.Error("release ends the context of its work, and no other")
			}
		})
	}
	if _, ok := cluster.Token(t.Context()); ok {
		t.Error("work that passed no gate has a token")
	}
	var missing context.Context
	if _, ok := cluster.Token(missing); ok {
		t.Error("no context has a token")
	}
}

func TestRefusedWork(t *testing.T) {
	standby := activeScript(a, time.Hour)
	standby.Join(b)
	standby.Up(b)
	starting := clustertest.NewScript(a)
	var missing *cluster.Gate
	for _, tt := range []struct {
		name string
		gate *cluster.Gate
		want string
	}{
		{"standby", newGate(t, standbyOf(standby, b)), "cluster: not active: standby: " + a + " is"},
		{"starting", newGate(t, starting), "cluster: not active: starting"},
		{"no gate", missing, "cluster: not active: starting"},
		{"zero gate", &cluster.Gate{}, "cluster: not active: starting"},
		{"the view panics", newGate(t, broken{Script: standby, view: true}), "cluster: not active: starting"},
		{"the clock panics", newGate(t, broken{Script: standby, now: true}), "cluster: not active: starting"},
		{"counting panics", newGate(t, broken{Script: standby, track: true}), "cluster: not active: the source panicked: track"},
	} {
		for name, admit := range admissions {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				ctx, release, err := admit(tt.gate, t.Context())
				if !errors.Is(err, cluster.ErrNotActive) || err.Error() != tt.want {
					t.Errorf("error %q, want %q", err, tt.want)
				}
				if !ended(ctx) || !errors.Is(context.Cause(ctx), cluster.ErrNotActive) {
					t.Errorf("the refused context has not ended: cause %v", context.Cause(ctx))
				}
				release()
				if n := standby.Working(); n != 0 {
					t.Errorf("%d counted after a refusal", n)
				}
			})
		}
	}
}

// standbyOf is the same view as another node has it.
func standbyOf(s *clustertest.Script, self string) cluster.Source {
	view := *s.View()
	for _, m := range view.Members {
		if m.Address == self {
			view.Self = m.Key
		}
	}
	other := clustertest.NewScriptFollowing(clustertest.Clock{}, self)
	other.Set(&view)
	return other
}

// TestReleaseContainsTheSource: what a source does when work is done is not the
// work's trouble.
func TestReleaseContainsTheSource(t *testing.T) {
	for name, track := range map[string]func() func(){
		"done panics": func() func() { return func() { panic("done") } },
		"no done":     func() func() { return nil },
	} {
		for way, admit := range admissions {
			t.Run(name+"/"+way, func(t *testing.T) {
				src := tracked{activeScript(a, time.Hour), track}
				ctx, release, err := admit(newGate(t, src), t.Context())
				if err != nil {
					t.Fatal(err)
				}
				release()
				if !ended(ctx) {
					t.Error("the work goes on after release")
				}
			})
		}
	}
}

// tracked counts with a function of the test.
type tracked struct {
	*clustertest.Script
	track func() func()
}

func (s tracked) Track() func() { return s.track() }

// TestWithoutAContext: a nil context is a mistake that only shows at run time, where
// nothing may panic.
func TestWithoutAContext(t *testing.T) {
	gate := newGate(t, activeScript(a, time.Hour))
	var missing context.Context
	for name, admit := range admissions {
		ctx, release, err := admit(gate, missing)
		if err != nil || ended(ctx) {
			t.Errorf("%s: %v", name, err)
		}
		release()
		if ctx, _, err := admit(nil, missing); err == nil || !ended(ctx) {
			t.Errorf("%s of no gate lets work in", name)
		}
	}
}
