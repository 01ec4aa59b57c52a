package resubscribe

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// diary is a Reporter that keeps what it is told.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diary) BusyFor(limit time.Duration) { d.note("busy for %v", limit) }
func (d *diary) Done()                       { d.note("done") }
func (d *diary) Idle()                       { d.note("idle") }

func (d *diary) want(t *testing.T, after string, lines ...string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Equal(d.lines, lines) {
		t.Errorf("%s: told %q, want %q", after, d.lines, lines)
	}
	d.lines = nil
}

// last is what it was told last.
func (d *diary) last() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.lines) == 0 {
		return ""
	}
	return d.lines[len(d.lines)-1]
}

// TestReporter is told Busy while an attempt is in flight, and Idle otherwise; an answer
// is Done.
func TestReporter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{}
		g := newGuard(t, Config{}, WithReporter(d))
		d.want(t, "before the first attempt")
		a, _, _ := g.Begin()
		d.want(t, "a send", "busy for 50s")
		g.Begin()
		g.Succeed(a.ID + 1)
		g.Resubscribe()
		d.want(t, "a refusal, a stale answer, and a wish")
		g.Fail(a.ID, errRefused)
		d.want(t, "a failure", "done", "idle")
		time.Sleep(5 * time.Second)
		g.Begin()
		d.want(t, "the next", "busy for 50s")
		time.Sleep(45 * time.Second)
		a, _, _ = g.Begin()
		d.want(t, "a loss and the next at once", "busy for 50s")
		g.Succeed(a.ID)
		d.want(t, "a success", "done", "idle")
		time.Sleep(5 * time.Second)
		g.Restore()
		g.Begin()
		d.want(t, "a restore and its attempt", "busy for 50s")
		g.Restore()
		d.want(t, "another restore", "idle")
		time.Sleep(5 * time.Second)
		g.Begin()
		g.Stop()
		d.want(t, "an attempt and the end", "busy for 50s", "idle")
	})
}

// unruly is a Reporter that does what it must not.
type unruly struct{ do func() }

func (u unruly) BusyFor(time.Duration) { u.do() }
func (u unruly) Done()                 { u.do() }
func (u unruly) Idle()                 { u.do() }

// TestReporterThatMisbehaves: one that panics or calls the guard does no harm.
func TestReporterThatMisbehaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g *Guard
		for name, do := range map[string]func(){
			"panics":          func() { panic("a reporter") },
			"asks the guard":  func() { g.State(); g.Begin() },
			"tells the guard": func() { g.Fail(1, nil) },
		} {
			g = newGuard(t, Config{}, WithReporter(unruly{do}))
			stop := run(t, g, func(context.Context, Attempt) error { return errRefused })
			time.Sleep(40 * time.Second)
			stop()
			if got := g.State().Sends; got != 4 {
				t.Errorf("a reporter that %s: %d sends, want 4", name, got)
			}
		}
	})
}

// answering is a Reporter that has the answer before it was told of the request.
type answering struct {
	diary
	guard *Guard
}

func (r *answering) BusyFor(limit time.Duration) {
	r.diary.BusyFor(limit)
	r.guard.Fail(r.guard.State().Sends, errRefused)
}

// TestReporterIsToldWhatHappensMeanwhile: what changes while it is being told is told
// next, by whoever is at it.
func TestReporterIsToldWhatHappensMeanwhile(t *testing.T) {
	r := &answering{}
	r.guard = newGuard(t, Config{}, WithReporter(r))
	r.guard.Begin()
	r.want(t, "an answer meanwhile", "busy for 50s", "done", "idle")
}

// TestReporterIsToldInOrder: however many tell it, the last word is how things are.
func TestReporterIsToldInOrder(t *testing.T) {
	for range 50 {
		d := &diary{}
		g := newGuard(t, Config{Floor: time.Millisecond, Max: time.Millisecond, Ceiling: time.Hour}, WithReporter(d))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 200 {
					if a, _, ok := g.Begin(); ok {
						g.Fail(a.ID, nil)
					}
				}
			})
		}
		all.Wait()
		if got := d.last(); got != "idle" || g.State().InFlight {
			t.Fatalf("the last word is %q, want idle", got)
		}
	}
}

// TestNilCollaborators are the defaults.
func TestNilCollaborators(t *testing.T) {
	var none *diary
	g := newGuard(t, Config{Jitter: 0.2}, nil, WithReporter(nil), WithReporter(none), WithLogger(nil), WithRandom(nil))
	a, _, ok := g.Begin()
	if !ok || !g.Succeed(a.ID) {
		t.Error("a guard with nil collaborators does not work")
	}
}
