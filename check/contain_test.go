package check_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// hostile is an error whose own text cannot be had.
type hostile struct{ do func() }

func (h hostile) Error() string { h.do(); return "never said" }

// noMap is nil, in a way that no tool sees through.
var noMap map[string]int

// brokenChecks are the ways in which a check can fail to answer.
var brokenChecks = map[string]func(context.Context) check.Result{
	"panic error":       func(context.Context) check.Result { panic(errors.New("boom: hunter2")) },
	"panic string":      func(context.Context) check.Result { panic("boom: hunter2") },
	"panic nil":         func(context.Context) check.Result { panic(nil) }, //nolint:govet // the fault under test
	"panic in its text": func(context.Context) check.Result { panic(hostile{func() { panic("again") }}) },
	"exit in its text":  func(context.Context) check.Result { panic(hostile{runtime.Goexit}) },
	"nil pointer":       func(context.Context) check.Result { var p *check.Result; return *p },
	"nil map":           func(context.Context) check.Result { noMap["a"] = 1; return check.Result{} },
	"index":             func(context.Context) check.Result { var s []int; _ = s[len(s)]; return check.Result{} },
	"goexit":            func(context.Context) check.Result { runtime.Goexit(); return check.Result{} },
	"goexit in a defer": func(context.Context) check.Result { defer runtime.Goexit(); panic("boom: hunter2") },
	"panic in a defer":  func(context.Context) check.Result { defer panic("again"); panic("boom: hunter2") },
	"panic after goexit": func(context.Context) check.Result {
		defer panic("boom: hunter2")
		runtime.Goexit()
		return check.Result{}
	},
	"closed channel": func(context.Context) check.Result { c := make(chan int); close(c); close(c); return check.Result{} },
	"Fatal of its helper": func(context.Context) check.Result {
		defer func() { runtime.Goexit() }()
		return check.Result{Status: check.Healthy}
	},
}

// TestBrokenCheckIsContained is F23: a class, a living
// process, and no word of the panic where a client could read it.
func TestBrokenCheckIsContained(t *testing.T) {
	for name, broken := range brokenChecks {
		for _, kind := range []string{"I/O", "instant"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var c check.Checker = check.Func(broken)
					if kind == "instant" {
						c = instant{c}
					}
					r := newRunner(t, c, check.Sampling{NoReuse: true})
					for range 3 {
						start := time.Now()
						got := r.Sample(t.Context())
						wantSample(t, got, check.Unhealthy, check.Panic)
						if got.Result.Err == nil || got.Result.Data != nil || time.Since(start) != 0 {
							t.Errorf("sample %+v after %v", got, time.Since(start))
						}
					}
					wantGoroutines(t, 0)
				})
			})
		}
	}
}

func TestPanicKeepsItsCauseForTheLog(t *testing.T) {
	cause := errors.New("the cause")
	r := newRunner(t, check.Func(func(context.Context) check.Result { panic(cause) }), check.Sampling{})
	err := r.Check(t.Context()).Err
	if !errors.Is(err, cause) || err.Error() != "check: panic: the cause" {
		t.Errorf("err %v", err)
	}
	r = newRunner(t, check.Func(func(context.Context) check.Result { panic(42) }), check.Sampling{})
	if err := r.Check(t.Context()).Err; err.Error() != "check: panic: 42" {
		t.Errorf("err %v", err)
	}
}

// TestCase111PanickingChecks asks for good and broken checks together: the
// broken ones fail, each time, and the good one is still seen.
func TestCase111PanickingChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runners := []*check.Runner{newRunner(t, newDependency(), check.Sampling{NoReuse: true})}
		for _, broken := range brokenChecks {
			runners = append(runners, newRunner(t, check.Func(broken), check.Sampling{NoReuse: true}))
		}
		for range 100 {
			got := checkAll(t.Context(), runners...)
			wantSample(t, got[0], check.Healthy, check.OK)
			for _, s := range got[1:] {
				wantSample(t, s, check.Unhealthy, check.Panic)
				if strings.Contains(s.Result.Description, "boom") {
					t.Fatalf("the panic is told to the client: %q", s.Result.Description)
				}
			}
		}
		wantGoroutines(t, 0)
	})
}

// TestGoexitSparesTheCaller pins why Instant checks have a goroutine of their
// own: the caller's deferred calls and the rest of its work must go on.
func TestGoexitSparesTheCaller(t *testing.T) {
	r := newRunner(t, instant{check.Func(brokenChecks["goexit"])}, check.Sampling{})
	var (
		wg       sync.WaitGroup
		answered bool
	)
	wg.Go(func() {
		r.Check(t.Context())
		answered = true
	})
	wg.Wait()
	if !answered {
		t.Error("the caller's goroutine ended with the check")
	}
}

// TestCallbacksIsolated is F23 in numbers: ten thousand panics, nil panics
// and exits in checks and hooks at once, with nothing left behind.
func TestCallbacksIsolated(t *testing.T) {
	const rounds = 10_000
	var hookCalls int
	broken := []func(){
		func() { panic("boom") },
		func() { panic(nil) }, //nolint:govet // the fault under test
		func() { runtime.Goexit() },
		func() {},
	}
	var n int
	observer := func(check.Sample) {
		hookCalls++
		broken[hookCalls%len(broken)]()
	}
	for _, kind := range []string{"I/O", "instant"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, hookCalls = 0, 0
				var c check.Checker = check.Func(func(context.Context) check.Result {
					n++
					broken[n%3]()
					return check.Result{}
				})
				if kind == "instant" {
					c = instant{c}
				}
				r := newRunner(t, c, check.Sampling{NoReuse: true}, check.WithObserver(observer))
				for range rounds {
					wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Panic)
				}
				wantGoroutines(t, 0)
				if n != rounds || hookCalls+int(r.Events().DroppedSamples) != rounds {
					t.Errorf("%d runs, %d hook calls, %d dropped", n, hookCalls, r.Events().DroppedSamples)
				}
			})
		})
	}
}
