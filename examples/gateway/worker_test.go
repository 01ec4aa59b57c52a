package gateway

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// working runs a worker in the bubble until the test ends.
func working(t *testing.T, perCommand, perItem time.Duration) *worker {
	t.Helper()
	w := newWorker(perCommand, perItem)
	go w.run(t.Context())
	return w
}

// nothing is what most commands do.
func nothing(int) {}

// counts reads a worker's.
func (w *worker) counts() (queued, peak, done int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queued(), w.peak, w.done
}

// TestOneCommandAtATime hands over many at a time, which are done one after the
// other, in their order.
func TestOneCommandAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := working(t, 10*time.Millisecond, time.Millisecond)
		began := time.Now()
		var at []int // only one step at a time, or the race detector and the order tell
		for i := range 50 {
			go func() { _ = w.do(t.Context(), 2, func(step int) { at = append(at, 2*i+step) }) }()
			synctest.Wait() // so that their order is known
		}
		if queued, peak, done := w.counts(); queued != 50 || peak != 50 || done != 0 {
			t.Errorf("%d queued, peak %d, %d done", queued, peak, done)
		}
		if err := w.do(t.Context(), 0, nothing); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 50*12*time.Millisecond+10*time.Millisecond {
			t.Errorf("51 commands of 12 ms and 10 ms took %v", took)
		}
		if len(at) != 100 || !slices.IsSorted(at) {
			t.Errorf("steps %v", at)
		}
		if queued, _, done := w.counts(); queued != 0 || done != 51 {
			t.Errorf("%d queued, %d done", queued, done)
		}
	})
}

// TestCommandsAreNotTakenBack is what makes retries dangerous: who gives up does not
// make the queue shorter.
func TestCommandsAreNotTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := working(t, time.Second, 0)
		w.stall(true)
		ran := 0
		for range 22 {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			if err := w.do(ctx, 1, func(int) { ran++ }); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			cancel()
		}
		synctest.Wait()
		if queued, _, _ := w.counts(); queued != 22 || ran != 0 {
			t.Errorf("%d queued, %d ran, during a stall", queued, ran)
		}
		w.stall(false)
		began := time.Now()
		if err := w.do(t.Context(), 0, nothing); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 23*time.Second || ran != 22 {
			t.Errorf("the next one was done after %v, %d ran", took, ran)
		}
	})
}

// TestStall begins and ends twice what is on or off already.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := working(t, 0, 0)
		for range 2 {
			w.stall(true)
			w.stall(true)
			began := time.Now()
			time.AfterFunc(time.Minute, func() {
				w.stall(false)
				w.stall(false)
			})
			if err := w.do(t.Context(), 1, nothing); err != nil || time.Since(began) != time.Minute {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			synctest.Wait() // or the end of this stall may end the next one
		}
	})
}

// TestHousekeepingInALongCommand wants it to go on between items (S3.20).
func TestHousekeepingInALongCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := working(t, 0, time.Second)
		began := time.Now()
		var kept []time.Duration
		if err := w.do(t.Context(), 3, func(int) {
			w.later(func() { kept = append(kept, time.Since(began)) })
		}); err != nil {
			t.Fatal(err)
		}
		if want := []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}; !slices.Equal(kept, want) {
			t.Errorf("housekeeping at %v, want %v", kept, want)
		}
	})
}

// TestWorkerEnds whatever it is at.
func TestWorkerEnds(t *testing.T) {
	for name, occupy := range map[string]func(context.Context, *worker){
		"idle":           func(context.Context, *worker) {},
		"in a command":   func(ctx context.Context, w *worker) { go func() { _ = w.do(ctx, 1, nothing) }() },
		"during an item": func(ctx context.Context, w *worker) { w.command = 0; go func() { _ = w.do(ctx, 1, nothing) }() },
		"during a stall": func(ctx context.Context, w *worker) { w.stall(true); go func() { _ = w.do(ctx, 1, nothing) }() },
		"with a backlog": func(ctx context.Context, w *worker) {
			go func() { _ = w.do(ctx, 1, nothing) }()
			go func() { _ = w.do(ctx, 1, nothing) }()
		},
		"without a start": func(_ context.Context, w *worker) { w.stall(true) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorker(time.Hour, time.Hour)
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan struct{})
				occupy(ctx, w)
				go func() { w.run(ctx); close(ended) }()
				synctest.Wait()
				began := time.Now()
				cancel()
				<-ended
				if took := time.Since(began); took != 0 {
					t.Errorf("after %v", took)
				}
			})
		})
	}
}

// TestLateTimers has the worker make up for what a timer was late by.
func TestLateTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorker(0, 0)
		w.until = time.Now().Add(-3 * time.Millisecond)
		for i, want := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond} {
			began := time.Now()
			if !w.spend(t.Context(), 2*time.Millisecond) || time.Since(began) != want {
				t.Errorf("spell %d of 2 ms took %v, want %v", i, time.Since(began), want)
			}
		}
	})
}
