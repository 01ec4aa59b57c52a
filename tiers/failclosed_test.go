package tiers_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/tiers"
)

// TestFailClosedKeepsTheKind: what a gate can do decides how it is asked.
func TestFailClosedKeepsTheKind(t *testing.T) {
	for name, c := range map[string]struct {
		gate     tiers.Gate
		admitter bool
	}{
		"nil":      {nil, false},
		"gate":     {&gatePointer{}, false},
		"locator":  {locator(nil), false},
		"admitter": {admitter(nil), true},
	} {
		g := tiers.FailClosed(c.gate)
		if _, ok := g.(tiers.Admitter); ok != c.admitter {
			t.Errorf("%s: an Admitter: %v", name, ok)
		}
		if _, ok := g.(tiers.Locator); !ok {
			t.Errorf("%s: no Locator", name)
		}
		if tiers.FailClosed(g) != g {
			t.Errorf("%s: wrapped twice", name)
		}
	}
}

// TestFailClosedTellsTheLog: the error says which way of failing it was, and a
// refusal of the gate is handed on.
func TestFailClosedTellsTheLog(t *testing.T) {
	refused := errors.New("standby")
	for name, c := range map[string]struct {
		enter admitter
		want  string
	}{
		"refuses":    {func(context.Context) (context.Context, func(), error) { return nil, nil, refused }, "standby"},
		"nil":        {nil, "tiers: gate: panic: runtime error: invalid memory address or nil pointer dereference"},
		"panics":     {func(context.Context) (context.Context, func(), error) { panic("boom") }, "tiers: gate: panic: boom"},
		"no context": {func(context.Context) (context.Context, func(), error) { return nil, nil, nil }, "tiers: gate is closed"},
	} {
		ctx, release, err := tiers.FailClosed(c.enter).(tiers.Admitter).Enter(t.Context())
		if err == nil || err.Error() != c.want || ctx != t.Context() {
			t.Errorf("%s: %v, %v", name, ctx, err)
		}
		release()
	}
	_, _, err := tiers.FailClosed(admitter(func(context.Context) (context.Context, func(), error) { return nil, nil, refused })).(tiers.Admitter).Enter(t.Context())
	if !errors.Is(err, refused) {
		t.Errorf("the gate's own error is lost: %v", err)
	}
}

// TestReleasedOnce: a release that is called again does nothing, and an admission
// that cannot be used is given back.
func TestReleasedOnce(t *testing.T) {
	released := 0
	g := tiers.FailClosed(admitter(func(ctx context.Context) (context.Context, func(), error) {
		return ctx, func() { released++ }, nil
	}))
	_, release, err := g.(tiers.Admitter).Enter(t.Context())
	must(t, err)
	release()
	release()
	if released != 1 {
		t.Errorf("released %d times", released)
	}
	g = tiers.FailClosed(admitter(func(context.Context) (context.Context, func(), error) {
		return nil, func() { released++ }, nil
	}))
	if _, _, err = g.(tiers.Admitter).Enter(t.Context()); err == nil || released != 2 {
		t.Errorf("without a context: %v, released %d times", err, released-1)
	}
}

// blocking is a Gate whose answers wait for theirs.
type blocking struct {
	gone     chan struct{} // closed: it answers at once
	calls    atomic.Int64
	released atomic.Int64
	late     atomic.Int64 // nanoseconds that an answer takes at least
}

func (b *blocking) wait() {
	b.calls.Add(1)
	time.Sleep(time.Duration(b.late.Load()))
	<-b.gone
}

func (b *blocking) IsActive() bool { b.wait(); return true }

func (b *blocking) ActiveNode() (address string, known bool) { b.wait(); return canary, true }

// blockingAdmitter is one that admits, and does not even release properly.
type blockingAdmitter struct{ blocking }

func (b *blockingAdmitter) Enter(ctx context.Context) (context.Context, func(), error) {
	b.wait()
	return ctx, func() {
		b.released.Add(1)
		panic(canary)
	}, nil
}

// TestGateThatBlocks holds a request up for a second and those after it not at
// all, keeps no more than one goroutine, and is asked again as soon as it has
// come back (S1.47, F52). What it granted too late is given back.
func TestGateThatBlocks(t *testing.T) {
	for name, build := range map[string]func(gone chan struct{}) (tiers.Gate, *blocking){
		"IsActive": func(gone chan struct{}) (tiers.Gate, *blocking) {
			b := &blocking{gone: gone}
			return b, b
		},
		"Enter": func(gone chan struct{}) (tiers.Gate, *blocking) {
			b := &blockingAdmitter{blocking{gone: gone}}
			return b, &b.blocking
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gone := make(chan struct{})
				g, b := build(gone)
				passed := 0
				h := tiers.RequireActive(g, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed++ }))
				for i := range 100 {
					begun := time.Now()
					rec := probe(h, "GET", "/")
					took := time.Since(begun)
					if rec.Code != 503 || strings.Contains(rec.Body.String(), canary) {
						t.Fatalf("%d: %d %s", i, rec.Code, rec.Body)
					}
					if want := map[bool]time.Duration{true: time.Second}[i == 0]; took != want {
						t.Fatalf("%d: took %v, want %v", i, took, want)
					}
				}
				if calls := b.calls.Load(); calls != 1 {
					t.Errorf("asked %d times", calls)
				}
				close(gone)
				synctest.Wait()
				if released, want := b.released.Load(), map[string]int64{"Enter": 1}[name]; released != want {
					t.Errorf("granted too late and released %d times, want %d", released, want)
				}
				if rec := probe(h, "GET", "/"); rec.Code != 200 || passed != 1 {
					t.Errorf("after it came back: %d, passed %d", rec.Code, passed)
				}
			})
		})
	}
}

// TestPatience is the table of its bound: an answer within it counts, and one
// that comes a nanosecond later does not.
func TestPatience(t *testing.T) {
	for late, open := range map[time.Duration]bool{0: true, time.Second - 1: true, time.Second + 1: false} {
		synctest.Test(t, func(t *testing.T) {
			b := &blocking{gone: make(chan struct{})}
			close(b.gone)
			b.late.Store(int64(late))
			if got := tiers.FailClosed(b).IsActive(); got != open {
				t.Errorf("after %v: %v", late, got)
			}
			time.Sleep(time.Second) // until it has come back
			synctest.Wait()
			b.late.Store(0)
		})
	}
}

// TestLocatorThatBlocks: who is not active waits no longer than a second to be
// told so.
func TestLocatorThatBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		h := tiers.RequireActive(locator(func() (string, bool) { <-gone; return canary, true }), nil)
		begun := time.Now()
		rec := probe(h, "GET", "/")
		if took := time.Since(begun); rec.Code != 503 || took != time.Second || strings.Contains(rec.Body.String(), canary) {
			t.Errorf("%d %s after %v", rec.Code, rec.Body, took)
		}
		close(gone)
		synctest.Wait()
	})
}

// TestReleaseThatBlocks holds its request up for a second, and closes the gate
// until it has come back.
func TestReleaseThatBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		h := tiers.RequireActive(admitter(func(ctx context.Context) (context.Context, func(), error) {
			return ctx, func() { <-gone }, nil
		}), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		begun := time.Now()
		if code := probe(h, "GET", "/").Code; code != 200 || time.Since(begun) != time.Second {
			t.Errorf("%d after %v", code, time.Since(begun))
		}
		if code := probe(h, "GET", "/").Code; code != 503 {
			t.Errorf("while it hangs: %d", code)
		}
		close(gone)
		synctest.Wait()
		if code := probe(h, "GET", "/").Code; code != 200 {
			t.Errorf("afterwards: %d", code)
		}
	})
}

// TestFailClosedConcurrentSafe asks a gate that is sometimes late from many
// goroutines: every grant is released, by the one who got it or because it came
// too late.
func TestFailClosedConcurrentSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var granted, released, entered atomic.Int64
		prompt := false
		g := tiers.FailClosed(admitter(func(ctx context.Context) (context.Context, func(), error) {
			n := granted.Add(1)
			if prompt {
				return ctx, func() { released.Add(1) }, nil
			}
			time.Sleep(time.Second + time.Duration(n%3-1)) // in time, at the last moment, too late
			return ctx, func() { released.Add(1) }, nil
		})).(tiers.Admitter)
		for range 50 {
			go func() {
				for range 20 {
					_, release, err := g.Enter(t.Context())
					if err == nil {
						entered.Add(1)
					}
					release()
					time.Sleep(time.Millisecond)
				}
			}()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if granted.Load() != released.Load() || entered.Load() == 0 || entered.Load() >= granted.Load() {
			t.Errorf("granted %d, entered %d, released %d", granted.Load(), entered.Load(), released.Load())
		}
		prompt = true
		if _, _, err := g.Enter(t.Context()); err != nil {
			t.Errorf("in the end: %v", err)
		}
	})
}
