package bench

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/loopvitals/loopvitals/bench/rival"
	"github.com/loopvitals/loopvitals/board"
)

// heapGates hold what processors cost while nothing happens: the collector's
// work, and memory.
func heapGates() []Gate {
	return []Gate{
		{ID: "P25", Name: "full GC, board of 1M/map of 1M", Bound: 1, Measure: collections},
		{ID: "P26", Name: "bytes per live processor, 100k", Bound: 450, Measure: bytesPerProcessor(100_000)},
		{ID: "P26", Name: "bytes per live processor, 1M", Bound: 450, Measure: bytesPerProcessor(1_000_000)},
	}
}

// interval of every processor in the heap gates.
const interval = 250 * time.Millisecond

// heapSize is the number of processors in either heap of P25.
const heapSize = 1_000_000

// boardHeap and mapHeap keep what a loop keeps, too: its reporter, or its
// record.
func boardHeap() any {
	b := board.New()
	loops := make([]*board.Reporter, heapSize)
	for i := range loops {
		loops[i] = b.MustRegister(board.Spec{ID: id(i), Interval: interval})
	}
	return []any{b, loops}
}

func mapHeap() any {
	records := make(rival.Records)
	loops := make([]*rival.Record, heapSize)
	for i := range loops {
		loops[i] = records.Add(id(i), interval)
	}
	return []any{records, loops}
}

// collections compares the CPU time of a full collection of either heap.
func collections(s Settings) (f Figure, err error) {
	const most = 21 // A round takes half a second.
	ours, err := startHeap("board")
	if err != nil {
		return Figure{}, err
	}
	defer func() { err = errors.Join(err, ours.stop()) }()
	theirs, err := startHeap("map")
	if err != nil {
		return Figure{}, err
	}
	defer func() { err = errors.Join(err, theirs.stop()) }()

	heaps := [2]*heapProcess{ours, theirs}
	for _, h := range heaps { // Waits until both are built.
		if _, err := h.collect(); err != nil {
			return Figure{}, err
		}
	}
	var t tally
	for range min(s.withDefaults().Rounds, most) {
		var took [2]float64
		first := rand.IntN(2)
		for _, i := range [2]int{first, 1 - first} {
			if took[i], err = heaps[i].collect(); err != nil {
				return Figure{}, err
			}
		}
		t.add(took[0]/took[1], took[0], took[1])
	}
	return t.figure(), nil
}

// bytesPerProcessor counts the heap that each registered processor holds after
// it reported, its id and its reporter included.
func bytesPerProcessor(processors int) func(Settings) (Figure, error) {
	return func(Settings) (Figure, error) {
		loops := make([]*board.Reporter, processors) // The application's, not counted.
		before := liveHeap()
		b := board.New()
		for i := range loops {
			loops[i] = b.MustRegister(board.Spec{ID: id(i), Interval: interval})
			loops[i].BeatLag(int64(i))
		}
		after := liveHeap()
		runtime.KeepAlive(b)
		runtime.KeepAlive(loops)
		bytes := (float64(after) - float64(before)) / float64(processors)
		return Figure{Value: bytes, Low: bytes, High: bytes}, nil
	}
}

// liveHeap returns the bytes in use after a full collection. Two of them,
// because the first leaves what a sync.Pool held for the second.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
