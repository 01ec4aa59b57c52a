package bench

import (
	"hash/fnv"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// readSum keeps what was read from being optimized away.
//
//lint:ignore U1000 it is only ever written, which is its purpose
var readSum uint64

// loopGates show what reporting takes from a fast loop.
func loopGates() []Gate {
	return []Gate{
		{ID: "P27", Name: "0.4us loop, exact beatlag/none", Bound: 1.20, Measure: func(s Settings) (Figure, error) {
			return compareLoop(s, board.New()), nil
		}},
		{ID: "P27", Name: "0.4us loop, coarse beatlag/none", Bound: 1.08, Measure: func(s Settings) (Figure, error) {
			b, stop := coarseBoard()
			defer stop()
			return compareLoop(s, b), nil
		}},
	}
}

func compareLoop(s Settings, b *board.Board) Figure {
	r := b.MustRegister(board.Spec{ID: "orders"})
	event := payload()
	return Compare(s, func(n int) {
		for i := range n {
			readSum += handle(event)
			r.BeatLag(int64(i))
		}
	}, func(n int) {
		for range n {
			readSum += handle(event)
		}
	})
}

// payload returns an event that takes about 0.4 us of CPU time to handle.
func payload() []byte {
	const want, tries = 400 * time.Nanosecond, 15
	sample := make([]byte, 1024)
	burst := func(n int) {
		for range n {
			readSum += handle(sample)
		}
	}
	settle()
	n := calibrate(burst, time.Millisecond)
	var took []float64
	for range tries {
		took = append(took, timed(burst, n))
	}
	return make([]byte, int(float64(want)/quantile(took, 0.5)*float64(len(sample))))
}

// handle hashes the event: work whose steps depend on each other, as those of
// a decoder do, and which stays in the cache.
func handle(event []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(event) // Never fails.
	return h.Sum64()
}
