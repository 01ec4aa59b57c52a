package board_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/loopvitals/loopvitals/board"
)

// rounds is small because the race target runs these tests a hundred times.
const rounds = 300

// TestFaultSurvivesBeatsConcurrentSafe is the stress form of CASE-107: eight
// goroutines beat without pause while one reports a fault, once.
func TestFaultSurvivesBeatsConcurrentSafe(t *testing.T) {
	for round := range rounds {
		b := board.New()
		r := register(t, b, "orders")
		var all sync.WaitGroup
		start := make(chan struct{})
		for i := range 8 {
			all.Go(func() {
				<-start
				for range 20 {
					r.BeatLag(int64(i))
					r.Busy()
					r.Done()
				}
			})
		}
		all.Go(func() {
			<-start
			r.Fault(errBroken)
		})
		close(start)
		all.Wait()
		if o := observe(t, b, "orders"); o.State != board.Faulted || o.Err == nil || o.Faults != 1 {
			t.Fatalf("round %d: %+v", round, o)
		}
	}
}

// TestSupervisedConcurrentSafe: faults and restarts against beats, workers and
// readers. Every fault that an incarnation took is counted, a reader never sees
// one without its cause, counters only grow, keys stay ordered and unique.
func TestSupervisedConcurrentSafe(t *testing.T) {
	b := board.New()
	for _, id := range []string{"a", "z"} {
		register(t, b, id)
	}
	r := register(t, b, "orders")
	done := make(chan struct{})
	var readers, loops sync.WaitGroup
	for range 2 {
		readers.Go(func() { watch(t, b, done) })
	}
	const lives = 200
	for life := range lives {
		w, err := r.Worker("1")
		if err != nil {
			t.Fatal(err)
		}
		for _, report := range []func(){
			func() { r.BeatLag(int64(life)) },
			r.Busy,
			w.Beat,
			func() { r.Fault(errBroken) },
			func() { w.Fault(errBroken) },
			func() { r.SetPosition(int64(life)) },
		} {
			loops.Go(report)
		}
		next := r
		loops.Go(func() { // a second supervisor, late
			if o, ok := b.Get("orders"); ok && o.Err != nil {
				_ = fmt.Sprint(o.Err, o.FaultedBy)
			}
		})
		loops.Wait()
		r = next.Restart()
	}
	close(done)
	readers.Wait()
	if o := observe(t, b, "orders"); o.Faults != lives || o.Starts != lives {
		t.Errorf("%d faults and %d starts counted, want %d of both", o.Faults, o.Starts, lives)
	}
}

// watch reads the board until done and checks what must hold in every read.
func watch(t *testing.T, b *board.Board, done <-chan struct{}) {
	var faults, starts uint64
	for {
		select {
		case <-done:
			return
		default:
		}
		last := ""
		for o := range b.All() {
			if o.Key <= last {
				t.Errorf("%q after %q", o.Key, last)
			}
			last = o.Key
			if (o.State == board.Faulted) != (o.Err != nil) {
				t.Errorf("%v with cause %v", o.State, o.Err)
			}
			if o.Age < 0 || o.LagAge < 0 {
				t.Errorf("negative age: %+v", o)
			}
			if o.Key != "orders" {
				continue
			}
			if o.Faults < faults || o.Starts < starts {
				t.Errorf("counters fell from %d, %d to %d, %d", faults, starts, o.Faults, o.Starts)
			}
			faults, starts = o.Faults, o.Starts
		}
	}
}

// TestBeatsAreCountedConcurrentSafe: each of many at once, by every way to beat.
func TestBeatsAreCountedConcurrentSafe(t *testing.T) {
	const turns = 10_000
	for name, beat := range map[string]func(*board.Reporter, int){
		"Beat":    func(r *board.Reporter, _ int) { r.Beat() },
		"BeatLag": func(r *board.Reporter, i int) { r.BeatLag(int64(i)) },
		"Done":    func(r *board.Reporter, _ int) { r.Done() },
	} {
		b := board.New()
		r := register(t, b, "orders")
		var all sync.WaitGroup
		start := make(chan struct{})
		for range 4 {
			all.Go(func() {
				<-start
				for i := range turns {
					beat(r, i)
				}
			})
		}
		close(start)
		all.Wait()
		if o := observe(t, b, "orders"); o.Beats != 4*turns {
			t.Errorf("%s: %d beats counted, want %d", name, o.Beats, 4*turns)
		}
	}
}

// TestRegistrationConcurrentSafe: of many registrations of one key one wins,
// and readers see whole boards meanwhile.
func TestRegistrationConcurrentSafe(t *testing.T) {
	b := board.New()
	for range rounds {
		var all sync.WaitGroup
		won := make(chan *board.Reporter, 4)
		for range 4 {
			all.Go(func() {
				if r, err := b.Register(board.Spec{ID: "orders"}); err == nil {
					won <- r
				}
			})
		}
		all.Go(func() { b.Get("orders") })
		all.Go(func() { keys(b) })
		all.Wait()
		close(won)
		if len(won) != 1 {
			t.Fatalf("%d registrations of one key won", len(won))
		}
		(<-won).Close()
		if _, ok := b.Get("orders"); ok {
			t.Fatal("closed, and still on the board")
		}
	}
}
