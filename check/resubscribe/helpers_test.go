package resubscribe

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var errRefused = errors.New("the gateway refuses")

// newGuard returns a guard that was made with exact delays, unless the configuration
// says otherwise.
func newGuard(t *testing.T, c Config, options ...Option) *Guard {
	t.Helper()
	if c.Key == "" {
		c.Key = "gateway"
	}
	if c.Jitter == 0 {
		c.NoJitter = true
	}
	g, err := New(c, options...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// books returns the ledger of g as it is.
func books(g *Guard) ledger {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ledger
}

// trace is when attempts began, since the first moment of a bubble.
type trace struct {
	mu    sync.Mutex
	start time.Time
	sends []Attempt
}

func newTrace() *trace { return &trace{start: time.Now()} }

func (r *trace) note(a Attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sends = append(r.sends, a)
}

// attempts returns what was noted.
func (r *trace) attempts() []Attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sends)
}

// times returns when.
func (r *trace) times() []time.Duration {
	var at []time.Duration
	for _, a := range r.attempts() {
		at = append(at, a.Sent.Sub(r.start))
	}
	return at
}

// wantTimes compares the times with seconds.
func (r *trace) wantTimes(t *testing.T, seconds ...float64) {
	t.Helper()
	var want []time.Duration
	for _, s := range seconds {
		want = append(want, time.Duration(s*float64(time.Second)))
	}
	if got := r.times(); !slices.Equal(got, want) {
		t.Errorf("sends at %v, want %v", got, want)
	}
}

// wantSpaced wants no two attempts closer than the floor, and no id twice.
func (r *trace) wantSpaced(t *testing.T, floor time.Duration) {
	t.Helper()
	all := r.attempts()
	for i := 1; i < len(all); i++ {
		if apart := all[i].Sent.Sub(all[i-1].Sent); apart < floor {
			t.Errorf("attempts %d and %d are %v apart, less than %v", all[i-1].ID, all[i].ID, apart, floor)
		}
		if all[i].ID <= all[i-1].ID {
			t.Errorf("attempt %d after %d", all[i].ID, all[i-1].ID)
		}
	}
}

// lines keeps what was logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// logger writes to l, without the time.
func (l *lines) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// count is how many lines have the text.
func (l *lines) count(text string) int { return strings.Count(l.String(), text) }

// bySchedule asks the guard as Begin tells it to, until ctx ends.
func bySchedule(ctx context.Context, g *Guard, send func(Attempt)) {
	for {
		a, wait, ok := g.Begin()
		if ok {
			send(a)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// run starts Run, and returns how to end it; the test fails when it does not end within
// a second.
func run(t *testing.T, g *Guard, subscribe func(context.Context, Attempt) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- g.Run(ctx, subscribe) }()
	return func() {
		t.Helper()
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Run = %v, want nil", err)
			}
		case <-time.After(time.Second):
			t.Error("Run goes on a second after the end of its context")
		}
	}
}
