package board_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/loopvitals/loopvitals/board"
)

// TestCollectorConcurrentSafe lets the garbage collector run all the time while
// processors with details, workers and faults come and go, on a board that is
// large enough for slabs: whatever a reader is handed must still be whole, also
// after its processor is gone.
func TestCollectorConcurrentSafe(t *testing.T) {
	b := board.New()
	for i := range 1100 {
		register(t, b, fmt.Sprint("standing-", i))
	}
	stop := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	var users sync.WaitGroup
	for user := range 2 {
		users.Go(func() {
			for i := range 10 { // the race target runs this test a hundred times
				id := fmt.Sprintf("%d-%d", user, i)
				o := passBy(t, b, id)
				runtime.GC()
				if o.Key != id || o.Details == nil || o.Details.Owner != "owner of "+id || o.FaultedBy != "worker of "+id ||
					o.Err == nil || o.Err.Error() != "fault of "+id || len(o.Workers) != 1 || o.Workers[0].Name != o.FaultedBy {
					t.Errorf("%s shows as %+v", id, o)
				}
			}
		})
	}
	users.Wait()
	close(stop)
	collector.Wait()
}

// passBy registers a processor, lets its worker fault, and removes it.
func passBy(t *testing.T, b *board.Board, id string) board.Observation {
	t.Helper()
	r, err := b.Register(board.Spec{ID: id, Details: board.Details{Owner: "owner of " + id}})
	if err != nil {
		t.Error(err)
		return board.Observation{}
	}
	r.BeatLag(7)
	w, err := r.Worker("worker of " + id)
	if err != nil {
		t.Error(err)
	}
	w.Fault(fmt.Errorf("fault of %s", id))
	o, _ := b.Get(id)
	b.Remove(id)
	return o
}
