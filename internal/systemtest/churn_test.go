package systemtest

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
)

// TestChurn lets a million processors come, report and go in every way there is,
// with verdicts taken in between (F16). Nothing of them is left but memory that
// one more would reuse.
func TestChurn(t *testing.T) {
	const (
		lives    = 1_000_000
		headroom = 64 << 10 // bytes of heap
	)
	b := board.New()
	b.MustRegister(board.Spec{ID: "orders"}).Beat()
	monitor, err := liveness.NewMonitor(b)
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []liveness.Verdict
	live := func(from, to int) {
		for life := from; life < to; life++ {
			passThrough(t, b, life)
			if life%1000 == 0 {
				verdicts = monitor.Append(verdicts[:0])
			}
		}
	}

	live(0, lives/100) // what is allocated once is allocated now
	before, goroutines := heap(), runtime.NumGoroutine()
	live(lives/100, lives)
	grown := int64(heap()) - int64(before)
	t.Logf("%d lives: heap %+d B", lives, grown)

	if grown > headroom {
		t.Errorf("heap grew by %d B, at most %d", grown, headroom)
	}
	if n := runtime.NumGoroutine(); n != goroutines {
		t.Errorf("%d goroutines, want %d", n, goroutines)
	}
	verdicts = monitor.Append(verdicts[:0])
	if b.Len() != 1 || len(verdicts) != 1 || verdicts[0].Key != "orders" {
		t.Errorf("%d entries, verdicts %v: want those of orders only", b.Len(), verdicts)
	}
}

var errLost = errors.New("lost")

// passThrough is one life: it reports something and leaves, by one of the ways.
func passThrough(t *testing.T, b *board.Board, life int) {
	t.Helper()
	r, err := b.Register(board.Spec{ID: "orders", Rebuild: fmt.Sprint(life)})
	if err != nil {
		t.Fatal(err)
	}
	r.BeatLag(int64(life))
	switch life % 4 {
	case 0: // finished
		r.Stop()
		r.Close()
	case 1: // a pool
		w, err := r.Worker("one")
		if err != nil {
			t.Fatal(err)
		}
		w.Busy()
		r.Close()
	case 2: // faulted, and taken off by somebody else
		r.Fault(errLost)
		r.Close()
		b.Remove(r.Key())
	case 3: // restarted
		r = r.Restart()
		r.Idle()
		r.Close()
	}
}

// heap is what is reachable, in bytes.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
