package liveness

import (
	"context"
	"errors"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// watched runs a monitor of a board in a bubble of virtual time, until the test
// ends or stop is called, which returns what Run did.
func watched(t *testing.T, b *board.Board, opts ...Option) (m *Monitor, stop func() error) {
	t.Helper()
	m, err := NewMonitor(b, opts...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	synctest.Wait()
	return m, sync.OnceValue(func() error { cancel(); return <-ended })
}

// recorder keeps the transitions that it is given.
type recorder struct {
	mu   sync.Mutex
	seen []Transition
}

func (r *recorder) hook(t Transition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, t)
}

// take returns what came since the last take, as "key: from > to".
func (r *recorder) take() (steps []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.seen {
		step := t.To.Key + ": " + t.From.String() + " > "
		if t.Gone {
			step += "gone"
		} else {
			step += t.To.Reason.String()
		}
		steps = append(steps, step)
	}
	r.seen = nil
	return steps
}

// after lets time pass and requires the transitions of it.
func (r *recorder) after(t *testing.T, d time.Duration, want ...string) {
	t.Helper()
	time.Sleep(d)
	synctest.Wait()
	if got := r.take(); !slices.Equal(got, want) {
		t.Errorf("transitions = %q, want %q", got, want)
	}
}

// TestTransitions: from verdict to verdict, each change once.
func TestTransitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		b := board.New()
		m, stop := watched(t, b, WithTransitions(seen.hook), WithPolicy(Policy{DegradedLag: 10}))
		seen.after(t, second)
		p, q := b.MustRegister(board.Spec{ID: "P"}), b.MustRegister(board.Spec{ID: "Q"})
		seen.after(t, second) // both are unreported, where they come from
		p.BeatLag(0)
		q.Standby()
		seen.after(t, tick, "P: unreported > running", "Q: unreported > standby")
		for range 20 { // going round is no change
			p.Idle()
			time.Sleep(50 * ms)
			p.Busy()
			time.Sleep(50 * ms)
			p.Done()
			time.Sleep(50 * ms)
		}
		seen.after(t, 0)
		seen.after(t, 4*second+900*ms)
		seen.after(t, 200*ms, "P: running > stale")
		seen.after(t, time.Hour)
		p.BeatLag(11)
		seen.after(t, tick, "P: stale > lagging")
		p.BeatLag(0)
		seen.after(t, second, "P: lagging > running")
		q.Fault(nil)
		seen.after(t, tick, "Q: standby > faulted")
		q = q.Restart()
		seen.after(t, second, "Q: faulted > unreported")
		q.Fault(nil)
		seen.after(t, tick, "Q: unreported > faulted")
		b.Remove("Q")
		p.Close()
		seen.after(t, tick, "Q: faulted > gone") // a healthy one leaves in silence
		b.MustRegister(board.Spec{ID: "P"}).Beat()
		seen.after(t, tick, "P: unreported > running") // and comes back as a new one
		if err := stop(); err != nil {
			t.Error(err)
		}
		if n := m.DroppedTransitions(); n != 0 {
			t.Errorf("%d transitions dropped", n)
		}
	})
}

// TestTransitionsOfNewcomers: who comes and goes among processors that are well
// is not mistaken for a neighbour in the order of keys.
func TestTransitionsOfNewcomers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		b := board.New()
		_, stop := watched(t, b, WithTransitions(seen.hook))
		beats := func(key string) *board.Reporter {
			r := b.MustRegister(board.Spec{ID: key, Interval: time.Hour})
			r.Beat()
			return r
		}
		beats("P")
		seen.after(t, tick, "P: unreported > running")
		first := beats("A")
		seen.after(t, tick, "A: unreported > running")
		beats("Z")
		beats("K")
		seen.after(t, tick, "K: unreported > running", "Z: unreported > running")
		first.Close()
		seen.after(t, tick)
		first = beats("A")
		seen.after(t, tick, "A: unreported > running")
		first.Fault(nil)
		seen.after(t, tick, "A: running > faulted")
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestTransitionSays what its fields hold.
func TestTransitionSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		b := board.New()
		m, stop := watched(t, b, WithTransitions(seen.hook))
		p := b.MustRegister(board.Spec{ID: "P"})
		p.Beat()
		seen.after(t, 2*second, "P: unreported > running")
		broken := errors.New("broken")
		p.Fault(broken)
		time.Sleep(tick)
		synctest.Wait()
		want, _ := m.Verdict("P")
		if len(seen.seen) != 1 {
			t.Fatalf("transitions = %+v", seen.seen)
		}
		got := seen.seen[0]
		if got.Err != broken || got.FromStatus != check.Healthy || got.From != Running || got.Gone {
			t.Errorf("transition = %+v", got)
		}
		if got.To.Age > tick || got.To.Status != want.Status || got.To.Reason != want.Reason {
			t.Errorf("transition to %+v, the verdict is %+v", got.To, want)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestFlapping (row 29 of the fault matrix): what gets worse is told at once,
// what gets better after a second, and the last word is the true one.
func TestFlapping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		b := board.New()
		_, stop := watched(t, b, WithTransitions(seen.hook), WithPolicy(Policy{DegradedLag: 10}))
		p := b.MustRegister(board.Spec{ID: "P"})
		p.BeatLag(0)
		seen.after(t, 2*second, "P: unreported > running")
		for range 40 { // ten seconds
			p.BeatLag(11)
			time.Sleep(tick + tick/2)
			p.BeatLag(0)
			time.Sleep(tick)
		}
		synctest.Wait()
		if n := len(seen.take()); n < 10 || n > 20 {
			t.Errorf("%d transitions in ten seconds of flapping, want 10 to 20", n)
		}
		time.Sleep(2 * second)
		seen.take()
		p.BeatLag(11)
		time.Sleep(tick + tick/2)
		p.BeatLag(0)
		seen.after(t, 2*second, "P: running > lagging", "P: lagging > running")
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestRunIsOne: a second Run is refused, and a later one is not.
func TestRunIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, stop := watched(t, board.New())
		if err := m.Run(t.Context()); err != ErrRunning {
			t.Errorf("second Run returned %v", err)
		}
		if err := stop(); err != nil {
			t.Errorf("Run returned %v", err)
		}
		done, cancel := context.WithTimeout(t.Context(), second)
		defer cancel()
		if err := m.Run(done); err != nil {
			t.Errorf("Run after Run returned %v", err)
		}
	})
}

// TestRunCostsNoGoroutine where there is nobody to tell: of those that begin with it,
// known by the label that they inherit, there is the caller and no other.
func TestRunCostsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stop func() error
		pprof.Do(t.Context(), pprof.Labels("began", t.Name()), func(context.Context) {
			_, stop = watched(t, board.New())
		})
		var profile strings.Builder
		if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
			t.Error(err)
		}
		counts := regexp.MustCompile(`(?m)^(\d+) @.*\n# labels: .*`+t.Name()).FindAllStringSubmatch(profile.String(), -1)
		if len(counts) != 1 || counts[0][1] != "1" {
			t.Errorf("%q goroutines, of which one should call Run, and be the only one", counts)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestAfterRunThereIsNoGrace: a monitor whose Run has ended is not late for
// ever, or it would hide every wedge.
func TestAfterRunThereIsNoGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.New()
		m, stop := watched(t, b)
		b.MustRegister(board.Spec{ID: "P"}).Beat()
		if err := stop(); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		if v, _ := m.Verdict("P"); v.Reason != Stale {
			t.Errorf("verdict = %v, want stale", v.Reason)
		}
		if late, _ := m.Lateness(); late != 0 {
			t.Errorf("lateness = %v", late)
		}
	})
}

// TestWedgeUnderRun: in the ordinary course of things Run changes no verdict: a
// wedge shows between the bound and a nanosecond past it.
func TestWedgeUnderRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.New()
		m, stop := watched(t, b, WithTransitions(func(Transition) {}))
		p := b.MustRegister(board.Spec{ID: "P"})
		for range 1000 {
			time.Sleep(250 * ms)
			p.Beat()
		}
		time.Sleep(bound)
		if v, _ := m.Verdict("P"); v.Reason != Running {
			t.Errorf("at the bound: %v", v.Reason)
		}
		time.Sleep(time.Nanosecond)
		if v, _ := m.Verdict("P"); v.Reason != Stale {
			t.Errorf("past the bound: %v", v.Reason)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestFaultIsToldAtOnce: also right after another bad verdict, and also in the
// last moment before the end, since nothing else carries the cause.
func TestFaultIsToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		b := board.New()
		p := b.MustRegister(board.Spec{ID: "P"})
		q := b.MustRegister(board.Spec{ID: "Q"})
		p.Beat()
		_, stop := watched(t, b, WithTransitions(seen.hook))
		time.Sleep(5*time.Second + tick)
		synctest.Wait()
		p.Fault(errors.New("disk gone"))
		time.Sleep(tick)
		synctest.Wait()
		q.Fault(errors.New("in the last moment"))
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		var causes []string
		for _, s := range seen.seen {
			if s.Err != nil {
				causes = append(causes, s.To.Key+": "+s.Err.Error())
			}
		}
		if diff := cmp.Diff([]string{"P: disk gone", "Q: in the last moment"}, causes); diff != "" {
			t.Error(diff)
		}
	})
}
