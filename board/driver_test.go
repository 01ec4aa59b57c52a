package board_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// TestRandomCalls drives the whole API at random from several goroutines, on
// boards and reporters that are nil, closed, faulted, full or as they should
// be, with arguments from end to end. Nothing may panic or block.
func TestRandomCalls(t *testing.T) {
	const calls = 1_000_000
	ctx, stop := context.WithCancel(t.Context())
	var clocks, drivers sync.WaitGroup
	d := &driver{boards: []*board.Board{
		nil,
		board.New(),
		board.New(board.WithMaxProcessors(2), board.WithName("full")),
		board.New(board.WithClock(&handClock{})),
		board.New(board.WithCoarseClock(time.Millisecond)),
		board.New(board.WithCoarseClock(-1), board.WithMaxProcessors(-1), board.WithName("\n")),
	}}
	for _, b := range d.boards {
		clocks.Go(func() { _ = b.Run(ctx) }) // an invalid board returns an error
	}
	for i := range 4 {
		drivers.Go(func() {
			random := rand.New(rand.NewPCG(rand.Uint64(), uint64(i)))
			for range calls / 4 {
				d.call(random)
			}
		})
	}
	drivers.Wait()
	stop()
	clocks.Wait()
	for _, b := range d.boards {
		for o := range b.All() {
			if o.Age < 0 || o.LagAge < 0 || o.Lag < 0 || o.State > board.Faulted || (o.State == board.Faulted) != (o.Err != nil) {
				t.Errorf("%+v", o)
			}
		}
	}
}

type driver struct {
	boards    []*board.Board
	mu        sync.Mutex
	reporters [32]*board.Reporter
}

// call makes one call with whatever is at hand.
func (d *driver) call(random *rand.Rand) {
	b := d.boards[random.IntN(len(d.boards))]
	place := random.IntN(len(d.reporters))
	d.mu.Lock()
	r := d.reporters[place]
	d.mu.Unlock()
	numbers := []int64{math.MinInt64, -1, 0, 1, 1 << 40, math.MaxInt64}
	number := numbers[random.IntN(len(numbers))]
	key := []string{"", "a", "b", "c", "a::rebuild::1", "\xff"}[random.IntN(6)]
	next := r
	switch random.IntN(28) {
	case 0, 1:
		next, _ = b.Register(board.Spec{
			ID: key, Interval: time.Duration(number), Rebuild: []string{"", "1", "\n"}[random.IntN(3)],
			Details: board.Details{Owner: key},
		})
	case 2:
		next, _ = b.Register(board.Spec{ID: key})
	case 3:
		next = r.Restart()
	case 4:
		next, _ = r.Worker(key)
	case 5:
		r.Close()
		r.Close()
	case 6:
		b.Remove(key)
	case 7:
		r.Fault([]error{nil, errors.New("broken"), context.Canceled}[random.IntN(3)])
	case 8:
		r.Beat()
	case 9:
		r.BeatLag(number)
	case 10:
		r.SetLag(number)
	case 11:
		r.SetPosition(number)
	case 12:
		r.Idle()
	case 13:
		r.Busy()
	case 14:
		r.BusyFor(time.Duration(number))
	case 15:
		r.Done()
	case 16:
		r.Standby()
	case 17:
		r.Pause()
	case 18:
		r.Resume()
	case 19:
		r.Stop()
	case 20:
		_ = r.Key()
	case 21:
		if o, ok := b.Get(key); ok {
			_, _, _ = o.TotalLag()
		}
	case 22:
		for range b.All() {
			if random.IntN(2) == 0 {
				break
			}
		}
	case 23:
		var o board.Observation
		for s := b.Sweep(); s.Next(); {
			_, _ = s.Running()
			s.Observe(&o)
		}
	case 24:
		_, _ = b.Len(), b.Name()
	case 25:
		_, _ = b.Now(), b.ClockAge()
	case 26:
		_, _ = b.ClockResumed()
	case 27:
		_ = b.Events()
	}
	d.mu.Lock()
	d.reporters[place] = next
	d.mu.Unlock()
}
