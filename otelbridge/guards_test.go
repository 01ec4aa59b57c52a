package otelbridge_test

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/otelbridge"
)

// newGuard returns one without jitter, so that every time is known.
func newGuard(t testing.TB, key string, opts ...resubscribe.Option) *resubscribe.Guard {
	t.Helper()
	g, err := resubscribe.New(resubscribe.Config{Key: key, NoJitter: true}, opts...)
	must(t, err)
	return g
}

// begin begins an attempt, which has to be possible.
func begin(t testing.TB, g *resubscribe.Guard) uint64 {
	t.Helper()
	a, wait, ok := g.Begin()
	if !ok {
		t.Fatalf("%s: no attempt for %v", g.Key(), wait)
	}
	return a.ID
}

// TestGuards follows one guard from its start through a lost request to its end,
// beside another one that has nothing to do with it.
func TestGuards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, other := newGuard(t, "gateway-a"), newGuard(t, "gateway-b")
		r := newRig(t, otelbridge.Sources{Guards: []*resubscribe.Guard{other, g}})
		want := func(inFlight, sends, lost, backoff float64) {
			t.Helper()
			s := r.collect(t)
			s.want(t, "resubscribe.in_flight{guard=gateway-a}", inFlight)
			s.want(t, "resubscribe.sends{guard=gateway-a}", sends)
			s.want(t, "resubscribe.presumed_lost{guard=gateway-a}", lost)
			s.want(t, "resubscribe.backoff{guard=gateway-a}", backoff)
			if inFlight == 0 {
				s.absent(t, "oldest_age")
			}
			s.want(t, "resubscribe.sends{guard=gateway-b}", 0)
			s.want(t, "resubscribe.backoff{guard=gateway-b}", 5)
		}
		want(0, 0, 0, 5)

		first := begin(t, g)
		r.collect(t).want(t, "resubscribe.oldest_age{guard=gateway-a}", 0)
		time.Sleep(44*time.Second + time.Second/2)
		want(1, 1, 0, 5)
		r.collect(t).want(t, "resubscribe.oldest_age{guard=gateway-a}", 44.5)
		r.gather(t).want(t, "resubscribe_oldest_age_seconds{guard=gateway-a}", 44.5)

		time.Sleep(time.Second) // nobody has looked since: it is overdue and not lost yet
		want(1, 1, 0, 5)
		r.collect(t).want(t, "resubscribe.oldest_age{guard=gateway-a}", 45.5)
		second := begin(t, g)
		want(1, 2, 1, 10)
		g.Succeed(first) // too late
		want(1, 2, 1, 10)
		g.Fail(second, nil)
		want(0, 2, 1, 10)
		time.Sleep(10 * time.Second)
		g.Succeed(begin(t, g))
		want(0, 3, 1, 5)

		g.Stop()
		want(0, 3, 1, 5)
		s := r.gather(t)
		s.want(t, "resubscribe_in_flight{guard=gateway-a}", 0)
		s.want(t, "resubscribe_sends_total{guard=gateway-a}", 3)
		s.want(t, "resubscribe_presumed_lost_total{guard=gateway-a}", 1)
		s.want(t, "resubscribe_backoff_seconds{guard=gateway-a}", 5)

		must(t, r.bridge.Close())
		r.collect(t).absent(t, "resubscribe")
	})
}

// TestGuardsOfSourceNames: the prefix is before their names, too (S4.41).
func TestGuardsOfSourceNames(t *testing.T) {
	r := newRig(t, otelbridge.Sources{Guards: []*resubscribe.Guard{newGuard(t, "a")}}, otelbridge.WithNamePrefix("otopcua."))
	r.collect(t).want(t, "otopcua.resubscribe.presumed_lost{guard=a}", 0)
	r.gather(t).want(t, "otopcua_resubscribe_presumed_lost_total{guard=a}", 0)
	units := map[string]string{}
	for _, m := range r.metrics(t) {
		units[m.Name] = m.Unit
	}
	for name, want := range map[string]string{"in_flight": "1", "sends": "{request}", "presumed_lost": "{request}", "backoff": "s"} {
		if got := units["otopcua.resubscribe."+name]; got != want {
			t.Errorf("%s in %q, want %q", name, got, want)
		}
	}
}

// TestGuardsOfHostileUsers: a log, a reporter and a source of chance that panic or
// never return keep no collection, which goes by the state alone.
func TestGuardsOfHostileUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		hang := func() { <-release }
		var guards []*resubscribe.Guard
		for key, do := range map[string]func(){"hangs": hang, "panics": func() { panic("no") }} {
			for what, o := range map[string]resubscribe.Option{
				"log":    resubscribe.WithLogger(slog.New(slog.NewTextHandler(writer(do), nil))),
				"chance": resubscribe.WithRandom(func() float64 { do(); return 0 }),
			} {
				g, err := resubscribe.New(resubscribe.Config{Key: what + " " + key}, o)
				must(t, err)
				guards = append(guards, g)
				go func() {
					defer func() { _ = recover() }()
					g.Begin()
				}()
			}
		}
		synctest.Wait()
		s := newRig(t, otelbridge.Sources{Guards: guards}).collect(t)
		s.want(t, "resubscribe.in_flight{guard=log hangs}", 1)
		s.want(t, "resubscribe.in_flight{guard=log panics}", 1)
		s.want(t, "resubscribe.in_flight{guard=chance hangs}", 0)
		s.want(t, "resubscribe.in_flight{guard=chance panics}", 1)
	})
}

// TestGuardsWhileTheyWorkConcurrentSafe: readers collect while requests begin, end and
// are lost. What one collection tells of a guard is of one moment: there is an age
// exactly while a request is in flight, which was begun and is not lost.
func TestGuardsWhileTheyWorkConcurrentSafe(t *testing.T) {
	g, err := resubscribe.New(resubscribe.Config{Key: "a", Floor: time.Millisecond, Max: time.Millisecond, Ceiling: time.Millisecond})
	must(t, err)
	r := newRig(t, otelbridge.Sources{Guards: []*resubscribe.Guard{g}})
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				switch a, _, ok := g.Begin(); {
				case ok && n%3 == 0:
					g.Fail(a.ID, nil)
				case ok && n%3 == 1:
					g.Restore()
				}
				runtime.Gosched()
			}
		})
	}
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for range 300 {
				s := r.collect(t)
				_, aged := s["resubscribe.oldest_age{guard=a}"]
				out := s["resubscribe.in_flight{guard=a}"]
				if aged != (out == 1) || s["resubscribe.sends{guard=a}"] < s["resubscribe.presumed_lost{guard=a}"]+out {
					t.Errorf("told %v", s.with("resubscribe"))
					return
				}
			}
		})
	}
	readers.Wait()
	cancel()
	work.Wait()
}

// writer is an output that does what a test wants.
type writer func()

func (w writer) Write(text []byte) (int, error) { w(); return len(text), nil }
