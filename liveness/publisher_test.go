package liveness

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// TestHookThatBlocks: nothing waits for it but its own news. Verdicts go on, the
// observer is not late, waiting transitions of one processor become one, and
// each that is lost is counted.
func TestHookThatBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		release, blocked := make(chan struct{}), make(chan struct{}, 1)
		b := board.New()
		m, stop := watched(t, b, WithTransitions(func(t Transition) {
			select {
			case blocked <- struct{}{}:
			default:
			}
			<-release
			seen.hook(t)
		}))
		p, q := b.MustRegister(board.Spec{ID: "P"}), b.MustRegister(board.Spec{ID: "Q"})
		p.Beat()
		<-blocked
		q.Beat()
		time.Sleep(time.Minute) // P and Q turn stale
		p.Standby()
		time.Sleep(time.Minute)
		p.Fault(nil)
		time.Sleep(time.Minute)
		if v, _ := m.Verdict("Q"); v.Reason != Stale {
			t.Errorf("verdict while the hook blocks: %v", v.Reason)
		}
		if late, _ := m.Lateness(); late != 0 {
			t.Errorf("lateness while the hook blocks: %v", late)
		}
		close(release)
		// P: told running; stale, standby and faulted became one. Q: running
		// and stale became one.
		seen.after(t, 0, "P: unreported > running", "Q: unreported > stale", "P: running > faulted")
		if n := m.DroppedTransitions(); n != 3 {
			t.Errorf("%d transitions dropped, want 3", n)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestHookMissesARoundTrip: a processor that went bad and came back while the
// hook blocked is no news.
func TestHookMissesARoundTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		release := make(chan struct{})
		b := board.New()
		m, stop := watched(t, b, WithTransitions(func(t Transition) { <-release; seen.hook(t) }))
		b.MustRegister(board.Spec{ID: "A"}).Fault(nil) // keeps the hook
		p := b.MustRegister(board.Spec{ID: "P"})
		time.Sleep(tick)
		p.Fault(nil)
		time.Sleep(2 * second)
		p.Restart()
		time.Sleep(2 * second)
		close(release)
		seen.after(t, 0, "A: unreported > faulted")
		if n := m.DroppedTransitions(); n != 1 {
			t.Errorf("%d transitions dropped, want 1", n)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestQueueIsBounded: with more processors than the queue holds the oldest news
// give way.
func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = maxWaiting + 100
		var seen recorder
		release := make(chan struct{})
		b := board.New()
		m, stop := watched(t, b, WithTransitions(func(t Transition) { <-release; seen.hook(t) }))
		for i := range n {
			b.MustRegister(board.Spec{ID: fmt.Sprintf("p-%05d", i)}).Fault(nil)
		}
		time.Sleep(2 * tick)
		close(release)
		synctest.Wait()
		told := seen.take()
		if lost := m.DroppedTransitions(); len(told)+int(lost) != n || lost < 99 || lost > 100 {
			t.Errorf("%d told and %d dropped of %d", len(told), lost, n)
		}
		if last := told[len(told)-1]; last != fmt.Sprintf("p-%05d: unreported > faulted", n-1) {
			t.Errorf("the last one told is %q", last)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestHookThatNeverReturns: Run ends all the same, and says so; the goroutine
// ends with the hook.
func TestHookThatNeverReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b := board.New()
		_, stop := watched(t, b, WithTransitions(func(Transition) { <-release }))
		b.MustRegister(board.Spec{ID: "P"}).Beat()
		b.MustRegister(board.Spec{ID: "Q"}).Beat()
		time.Sleep(second)
		before := time.Now()
		if err := stop(); !errors.Is(err, ErrHookHangs) {
			t.Errorf("Run returned %v", err)
		}
		if took := time.Since(before); took != partingTime {
			t.Errorf("Run ended after %v, want %v", took, partingTime)
		}
		close(release)
		synctest.Wait() // the bubble ends only when the goroutine has
	})
}

// TestRunTellsTheRest: what waits when ctx ends is told before Run returns.
func TestRunTellsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		b := board.New()
		_, stop := watched(t, b, WithTransitions(func(t Transition) { time.Sleep(10 * ms); seen.hook(t) }))
		for i := range 20 {
			b.MustRegister(board.Spec{ID: fmt.Sprint(i)}).Beat()
		}
		time.Sleep(tick)
		if err := stop(); err != nil {
			t.Error(err)
		}
		if n := len(seen.take()); n != 20 {
			t.Errorf("%d transitions told, want 20", n)
		}
	})
}

// TestHookFails: a hook that panics, with whatever value, or ends its goroutine,
// loses only what it was given.
func TestHookFails(t *testing.T) {
	failures := []func(){
		func() { panic("broken") },
		func() { panic(errors.New("broken")) },
		func() { panic(nil) }, //nolint:govet // the value is the point
		func() { var m *Verdict; m.Age++ },
		func() { runtime.Goexit() },
	}
	synctest.Test(t, func(t *testing.T) {
		var calls, told atomic.Int64
		b := board.New()
		m, stop := watched(t, b, WithTransitions(func(Transition) {
			if n := calls.Add(1); n%2 == 1 {
				failures[int(n/2)%len(failures)]()
			}
			told.Add(1)
		}))
		const n = 500
		for i := range n {
			b.MustRegister(board.Spec{ID: fmt.Sprintf("%04d", i)}).Beat()
		}
		time.Sleep(second)
		synctest.Wait()
		if calls.Load() != n || told.Load() != n/2 || m.DroppedTransitions() != 0 {
			t.Errorf("%d calls, %d told, %d dropped", calls.Load(), told.Load(), m.DroppedTransitions())
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestHookCallsEverything: a hook may call every method of the monitor and of
// the board, for no lock is held while it runs.
func TestHookCallsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.New()
		var m *Monitor
		var calls atomic.Int64
		done, cancel := context.WithCancel(t.Context())
		cancel()
		m, stop := watched(t, b, WithTransitions(func(tr Transition) {
			for _, target := range []any{m, b} {
				v := reflect.ValueOf(target)
				for i := range v.NumMethod() {
					method := v.Type().Method(i)
					if method.Type.IsVariadic() || method.Name == "MustRegister" {
						continue // it panics when the key is taken, and says so
					}
					args := make([]reflect.Value, 0, 2)
					for in := 1; in < method.Type.NumIn(); in++ {
						switch want := method.Type.In(in); want {
						case reflect.TypeFor[context.Context]():
							args = append(args, reflect.ValueOf(done))
						case reflect.TypeFor[string]():
							args = append(args, reflect.ValueOf(tr.To.Key))
						case reflect.TypeFor[board.Spec]():
							args = append(args, reflect.ValueOf(board.Spec{ID: "new"}))
						case reflect.TypeFor[*board.Observation]():
							args = append(args, reflect.ValueOf(new(board.Observation)))
						default:
							args = append(args, reflect.Zero(want))
						}
					}
					v.Method(i).Call(args)
					calls.Add(1)
				}
			}
		}))
		b.MustRegister(board.Spec{ID: "P"}).Beat()
		time.Sleep(second)
		synctest.Wait()
		if calls.Load() < 15 {
			t.Errorf("%d calls came back", calls.Load())
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}
