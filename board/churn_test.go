package board_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// TestChurnLeavesNothing registers, uses and removes a million processors, on a
// small board and on one that is large enough for slabs. Neither the heap nor
// the number of goroutines or entries may grow.
func TestChurnLeavesNothing(t *testing.T) {
	comings := 1_000_000
	if raceEnabled || board.Yields {
		comings = 50_000 // one goroutine: there is nothing to detect
	}
	for name, standing := range map[string]int{"small": 10, "large": 2000} {
		t.Run(name, func(t *testing.T) {
			b := board.New()
			for i := range standing {
				register(t, b, "standing-"+digits(i))
			}
			churn(t, b, 10_000) // what is made once is there now
			goroutines, heap := runtime.NumGoroutine(), heapInUse()
			churn(t, b, comings)
			if n := b.Len(); n != standing {
				t.Errorf("%d processors are left, want %d", n, standing)
			}
			if n := runtime.NumGoroutine(); n > goroutines {
				t.Errorf("%d goroutines, %d before", n, goroutines)
			}
			grown := int64(heapInUse()) - int64(heap)
			t.Logf("the heap grew by %d bytes", grown)
			if grown > 64<<10 {
				t.Error("must be 64 KiB or less")
			}
			runtime.KeepAlive(b)
		})
	}
}

// churn lets n processors come and go in one of the ways there are.
func churn(t *testing.T, b *board.Board, n int) {
	t.Helper()
	cause := errors.New("broken")
	for i := range n {
		id := "passing-" + digits(i)
		r := register(t, b, id)
		r.BeatLag(int64(i))
		r.BusyFor(time.Second)
		switch i % 8 {
		case 0:
			r.Fault(cause)
			r.Close() // stays until it is registered anew
			r = register(t, b, id)
		case 1:
			r = r.Restart()
		case 2:
			w, err := r.Worker("1")
			if err != nil {
				t.Fatal(err)
			}
			w.Beat()
		case 3:
			if _, ok := b.Get(id); !ok {
				t.Fatalf("%q is absent", id)
			}
		}
		r.Beat()
		if i%16 == 4 {
			b.Remove(id)
		} else {
			r.Close()
		}
		if i%10_000 == 0 {
			for range b.All() { //nolint:revive // makes the index
			}
		}
	}
}

func digits(i int) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[i>>12&15], digits[i>>8&15], digits[i>>4&15], digits[i&15]})
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
