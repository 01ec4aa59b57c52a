package resubscribe

import (
	"context"
	"io"
	"log/slog"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// TestWithRandom decides on the delays, and does no harm whatever it returns.
func TestWithRandom(t *testing.T) {
	for _, c := range []struct {
		name   string
		random func() float64
		want   time.Duration
	}{
		{"0", func() float64 { return 0 }, 5 * time.Second},
		{"a half", func() float64 { return 0.5 }, 5500 * time.Millisecond},
		{"1", func() float64 { return 1 }, 6 * time.Second},
		{"too much", func() float64 { return 99 }, 6 * time.Second},
		{"too little", func() float64 { return -99 }, 5 * time.Second},
		{"no number", math.NaN, 5 * time.Second},
		{"a panic", func() float64 { panic("no more numbers") }, 5 * time.Second},
	} {
		g := newGuard(t, Config{Jitter: 0.2}, WithRandom(c.random))
		if _, wait, ok := g.Begin(); !ok || wait != c.want || g.State().Backoff != c.want {
			t.Errorf("%s: a delay of %v, want %v", c.name, wait, c.want)
		}
	}
}

// handler is a slog.Handler that does what it must not.
type handler struct {
	slog.Handler
	do func()
}

func (h handler) WithAttrs([]slog.Attr) slog.Handler        { return h }
func (h handler) Handle(context.Context, slog.Record) error { h.do(); return nil }

// TestLoggerThatMisbehaves: one that panics, ends its goroutine or calls the guard does
// no harm to a Run.
func TestLoggerThatMisbehaves(t *testing.T) {
	var g *Guard
	for name, do := range map[string]func(){
		"panics":          func() { panic("a handler") },
		"calls the guard": func() { g.Begin(); g.Succeed(0); g.State() },
		"ends a call's goroutine": func() {
			if g.State().NextKnown { // when a failure is told, by the goroutine of the call
				runtime.Goexit()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &diary{}
				g = newGuard(t, Config{}, WithReporter(d), WithLogger(slog.New(handler{slog.NewTextHandler(io.Discard, nil), do})))
				stop := run(t, g, func(context.Context, Attempt) error { return errRefused })
				time.Sleep(40 * time.Second)
				if got := g.State().Sends; got != 4 || d.last() != "idle" || len(g.slots) != 0 {
					t.Errorf("%d sends, told %q, %d calls on, want 4 sends, idle and none", got, d.last(), len(g.slots))
				}
				stop()
			})
		})
	}
}
