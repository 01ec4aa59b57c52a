package bench

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// reportGates hold the cost of one report against what it cannot do without:
// the clock and the atomic operations that publish it.
func reportGates() []Gate {
	return []Gate{
		{ID: "P1", Name: "beat/(clock + 1 store)", Bound: 1.20, NoAllocs: true, Measure: exact(beats, clockAndStore)},
		{ID: "P2", Name: "beatlag/(clock + 1 store)", Bound: 1.45, NoAllocs: true, Measure: exact(lags, clockAndStore)},
		{ID: "P2b", Name: "beat/(clock + 2 locked)", Bound: 1.12, NoAllocs: true, Measure: exact(beats, clockAndTwo)},
		{ID: "P2b", Name: "beatlag/(clock + 5 locked)", Bound: 1.12, NoAllocs: true, Measure: exact(lags, clockAndFive)},
		{ID: "P4", Name: "coarse beatlag/store", Bound: 5, NoAllocs: true, Measure: coarse(lags, store)},
		{ID: "P5", Name: "coarse beat/store", Bound: 0.5, NoAllocs: true, Measure: coarse(beats, store)},
	}
}

// exact measures a report on a board that reads the clock for each.
func exact(report func(*board.Reporter) Burst, baseline func() Burst) func(Settings) (Figure, error) {
	return func(s Settings) (Figure, error) {
		return compareReport(s, report(board.New().MustRegister(board.Spec{ID: "orders"})), baseline()), nil
	}
}

// coarse measures a report on a board with a coarse clock, which is running.
func coarse(report func(*board.Reporter) Burst, baseline func() Burst) func(Settings) (Figure, error) {
	return func(s Settings) (Figure, error) {
		b, stop := coarseBoard()
		defer stop()
		return compareReport(s, report(b.MustRegister(board.Spec{ID: "orders"})), baseline()), nil
	}
}

func compareReport(s Settings, subject, baseline Burst) Figure {
	f := Compare(s, subject, baseline)
	f.Allocs = testing.AllocsPerRun(1000, func() { subject(1) })
	return f
}

// coarseBoard returns a board whose coarse clock is driven until stop.
func coarseBoard() (b *board.Board, stop func()) {
	const resolution = time.Millisecond
	b = board.New(board.WithCoarseClock(resolution))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = b.Run(ctx) // Ends with the context's own error.
	}()
	return b, func() {
		cancel()
		<-ended
	}
}

func beats(r *board.Reporter) Burst {
	return func(n int) {
		for range n {
			r.Beat()
		}
	}
}

// lags reports a lag that is another one each time.
func lags(r *board.Reporter) Burst {
	return func(n int) {
		for i := range n {
			r.BeatLag(int64(i))
		}
	}
}

// words is memory of its own for a baseline, away from anything else's lines.
type words struct {
	_       [128]byte
	a, b, c atomic.Int64
	_       [128]byte
}

func store() Burst {
	w := new(words)
	return func(n int) {
		for i := range n {
			w.a.Store(int64(i))
		}
	}
}

func clockAndStore() Burst {
	w, base := new(words), time.Now()
	return func(n int) {
		for range n {
			w.a.Store(int64(time.Since(base)))
		}
	}
}

// clockAndTwo makes the locked operations of a Beat: the word is swapped, and the
// beat counted.
func clockAndTwo() Burst {
	w, base := new(words), time.Now()
	return func(n int) {
		for range n {
			now := int64(time.Since(base))
			w.a.CompareAndSwap(w.a.Load(), now)
			w.b.Add(1)
		}
	}
}

// clockAndFive makes those of a BeatLag: a cell is claimed and filled, the word
// swapped, the old cell released, and the beat counted.
func clockAndFive() Burst {
	w, base := new(words), time.Now()
	return func(n int) {
		for i := range n {
			now := int64(time.Since(base))
			w.b.CompareAndSwap(w.b.Load(), now)
			w.c.Store(int64(i))
			w.a.CompareAndSwap(w.a.Load(), now)
			w.b.Add(-1)
			w.c.Add(1)
		}
	}
}
