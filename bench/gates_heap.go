package bench

import (
	"runtime"
	"slices"
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

// collections compares the CPU time of a full collection over either heap. The
// two never exist at once: each is built, collected a few times and dropped.
// Both sides keep what a loop keeps: its reporter, or its record.
func collections(s Settings) (Figure, error) {
	const processors = 1_000_000
	onBoard := func() any {
		b := board.New()
		loops := make([]*board.Reporter, processors)
		for i := range loops {
			loops[i] = b.MustRegister(board.Spec{ID: id(i), Interval: interval})
		}
		return []any{b, loops}
	}
	inMap := func() any {
		records := make(rival.Records)
		loops := make([]*rival.Record, processors)
		for i := range loops {
			loops[i] = records.Add(id(i), interval)
		}
		return []any{records, loops}
	}
	const heaps, most = 3, 15
	collectionsEach := min(max(s.withDefaults().Rounds/heaps, 3), most)
	defer quietCollector()()
	var t tally
	for range heaps {
		ours, theirs := collect(onBoard, collectionsEach), collect(inMap, collectionsEach)
		for i := range ours {
			t.add(ours[i]/theirs[i], ours[i], theirs[i])
		}
	}
	return t.figure(), nil
}

// collect builds a heap and returns the CPU times of full collections of it,
// in ns. The first collection also pays for the building and is not counted.
func collect(build func() any, times int) (took []float64) {
	heap := build()
	runtime.GC()
	for range times {
		start := processCPU()
		runtime.GC()
		took = append(took, float64(processCPU()-start))
	}
	runtime.KeepAlive(heap)
	slices.Sort(took)
	return took
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
