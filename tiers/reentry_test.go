package tiers_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// everyMethod returns a call of each method of s, by name. The calls do what
// the method is for, so that each takes the locks it takes.
func everyMethod(ctx context.Context, s *tiers.Set, from string) map[string]func() {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	ok := answer(check.Healthy)
	return map[string]func(){
		"Register":    func() { _ = s.Register("registered from "+from, ok, "ready", "active", "startup", "wedged") },
		"AddReady":    func() { _ = s.AddReady("ready from "+from, ok) },
		"AddActive":   func() { _ = s.AddActive("active from "+from, ok) },
		"AddStartup":  func() { _ = s.AddStartup("startup from "+from, ok) },
		"AddWedged":   func() { _ = s.AddWedged("wedged from "+from, ok) },
		"Mount":       func() { _ = s.Mount(http.NewServeMux()) },
		"Handler":     func() { probe(s.Handler(tiers.Ready), "GET", "/") },
		"Endpoints":   func() { _, _ = s.Endpoints() },
		"Run":         func() { _ = s.Run(gone) },
		"Drain":       s.Drain,
		"Evaluate":    func() { s.Evaluate(ctx, tiers.Ready); s.Evaluate(ctx, tiers.Startup) },
		"Last":        func() { s.Last(tiers.Ready) },
		"TierStates":  func() { s.TierStates() },
		"CheckStates": func() { s.CheckStates() },
		"Observe":     func() { s.Observe(func(check.Sample) {})() },
	}
}

// TestEveryMethodFromEveryCallback has each kind of user code call every method
// of its own Set, while the Set runs and while it does not (F25). A deadlock
// ends the test after two seconds and not the suite after ten minutes.
func TestEveryMethodFromEveryCallback(t *testing.T) {
	methods := map[string]bool{}
	for m := range reflect.TypeFor[*tiers.Set]().Methods() {
		methods[m.Name] = true
	}
	called := slices.Sorted(maps.Keys(everyMethod(t.Context(), nil, "")))
	if diff := cmp.Diff(slices.Sorted(maps.Keys(methods)), called); diff != "" {
		t.Errorf("methods that are not called: %s", diff)
	}
	for _, from := range []string{"a check", "an Instant check", "an observer", "a log handler", "a gate", "a writer", "data"} {
		for _, running := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, running %v", from, running), func(t *testing.T) { reenter(t, from, running) })
		}
	}
}

func reenter(t *testing.T, from string, running bool) {
	var s *tiers.Set
	var entered atomic.Bool
	at := make(chan string, 100)
	done := make(chan struct{})
	// The first call alone comes back: calls that come back for ever are the
	// caller's affair.
	enter := func(ctx context.Context, here string) {
		if here != from || entered.Swap(true) {
			return
		}
		defer close(done)
		for name, call := range everyMethod(ctx, s, from) {
			at <- name
			call()
		}
	}
	result := check.Result{Data: map[string]any{"from": appender(func(dst []byte) ([]byte, error) {
		enter(context.Background(), "data")
		return append(dst, '1'), nil
	})}}
	s = tiers.New(
		tiers.WithObserver(func(check.Sample) { enter(context.Background(), "an observer") }),
		tiers.WithLogger(slog.New(handlerFunc(func() { enter(context.Background(), "a log handler") }))),
	)
	must(t, s.Register("io", check.Func(func(ctx context.Context) check.Result {
		enter(ctx, "a check")
		return result
	}), "ready", "startup"))
	must(t, s.AddReady("instant", instant(func() check.Result {
		enter(context.Background(), "an Instant check")
		return result
	})))
	mux := mounted(t, s, tiers.WithStartupPath("/health/startup"), tiers.WithWedgedPath("/health/wedged"),
		tiers.WithResponseWriter(func(w http.ResponseWriter, r *http.Request, report tiers.Report) {
			enter(r.Context(), "a writer")
			tiers.WriteJSON(w, r, report)
		}))

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if running {
			_ = s.Run(ctx)
		}
	}()
	go probe(mux, "GET", "/health/ready")
	go probe(tiers.RequireActive(gate(func() bool { enter(context.Background(), "a gate"); return true }), nil), "GET", "/")
	watchdog := time.After(2 * time.Second)
	wait := func(what string, c <-chan struct{}) {
		select {
		case <-c:
		case <-watchdog:
			last := "none"
			for len(at) > 0 {
				last = <-at
			}
			t.Fatalf("%s: stuck in %s", what, last)
		}
	}
	wait("the callback", done)
	cancel()
	wait("Run", ended)
}

// handlerFunc is a slog.Handler.
type handlerFunc func()

func (f handlerFunc) Enabled(context.Context, slog.Level) bool  { return true }
func (f handlerFunc) Handle(context.Context, slog.Record) error { f(); return nil }
func (f handlerFunc) WithAttrs([]slog.Attr) slog.Handler        { return f }
func (f handlerFunc) WithGroup(string) slog.Handler             { return f }

// TestBrokenObserver panics, with nil too, or ends its goroutine at every
// sample (F23). Probes and the observers after it do not notice, and the log
// has one line until a call succeeds again.
func TestBrokenObserver(t *testing.T) {
	for name, breaks := range map[string]func(){
		"panic":     func() { panic(canary) },
		"nil panic": func() { panic(nil) }, //nolint:govet // on purpose
		"exit":      runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log lockedLog
				s := tiers.New(tiers.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
				must(t, s.AddReady("a", instant(func() check.Result { return check.Result{Status: check.Healthy} })))
				works, before, after := false, 0, 0
				s.Observe(func(check.Sample) { before++ })
				s.Observe(func(check.Sample) {
					if !works {
						breaks()
					}
				})
				s.Observe(func(check.Sample) { after++ })
				mux := mounted(t, s)
				ask := func(times int) {
					for range times {
						want(t, probe(mux, "GET", "/health/ready"), 200, "Healthy")
						synctest.Wait()
					}
				}
				ask(100)
				works = true
				ask(1)
				works = false
				ask(100)
				if before != 201 || after != 201 {
					t.Errorf("the others saw %d and %d of 201 samples", before, after)
				}
				if lines := strings.Count(log.String(), "observer failed"); lines != 2 {
					t.Errorf("%d lines, want one for each time that it broke: %.500s", lines, &log)
				}
			})
		})
	}
}
