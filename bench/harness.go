package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// Burst performs the measured operation n times.
type Burst func(n int)

// Settings says how long to measure. The zero value is the default.
type Settings struct {
	// Rounds is how often case and baseline take turns; 0 means 45.
	Rounds int
	// Burst is the CPU time one burst should take; 0 means 1.5 ms, or 20 ms
	// with Collect.
	Burst time.Duration
	// Collect lets the garbage collector run within the bursts, so that a side
	// which allocates pays for its garbage. The bursts must be long enough to
	// hold several collections.
	Collect bool
}

// withDefaults fills in what was not set.
func (s Settings) withDefaults() Settings {
	if s.Rounds <= 0 {
		s.Rounds = 45
	}
	if s.Burst <= 0 {
		s.Burst = 1500 * time.Microsecond
		if s.Collect {
			s.Burst = 20 * time.Millisecond
		}
	}
	return s
}

// Figure is what a measurement came to.
type Figure struct {
	// Value is the median over the rounds; Low and High are the quartiles.
	Value, Low, High float64
	// Case and Base are the medians of either side alone, in ns of CPU time
	// per operation. They say where a ratio comes from; compare ratios only.
	Case, Base float64
	// Allocs is the number of allocations per operation of the case, counted
	// where the gate asks for none.
	Allocs float64
}

// String gives the median with its quartiles and both sides, for people.
func (f Figure) String() string {
	return fmt.Sprintf("%.3f [%.3f %.3f], %.1f / %.1f ns", f.Value, f.Low, f.High, f.Case, f.Base)
}

// Compare returns the ratio of the CPU time per operation of a case to that of
// its baseline (see the package comment).
func Compare(s Settings, subject, baseline Burst) Figure {
	s = s.withDefaults()
	percent := collectorOff
	if s.Collect {
		percent = collectorDefault
	}
	defer collector(percent)()
	settle()
	bursts := [2]Burst{subject, baseline}
	var n [2]int
	for i, burst := range bursts {
		n[i] = calibrate(burst, s.Burst)
	}
	var t tally
	for range s.Rounds {
		if !s.Collect {
			runtime.GC()
		}
		var perOp [2]float64
		first := rand.IntN(2)
		for _, i := range [2]int{first, 1 - first} {
			perOp[i] = timed(bursts[i], n[i])
		}
		t.add(perOp[0]/perOp[1], perOp[0], perOp[1])
	}
	return t.figure()
}

// Values of the collector's pace, GOGC in percent.
const (
	collectorOff     = -1
	collectorDefault = 100
)

// collector sets its pace and returns what sets it back.
func collector(percent int) (restore func()) {
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}

// settle ends what the runtime still does for earlier garbage. Sweeping and
// giving memory back count as CPU time of the process, too.
func settle() { debug.FreeOSMemory() }

// timed returns the CPU time per operation, in ns, of one burst of n. A
// sixteenth of the burst runs before it, unmeasured, because the other side
// and the collector have just had the caches.
func timed(burst Burst, n int) float64 {
	burst(n/16 + 1)
	start := processCPU()
	burst(n)
	return float64(processCPU()-start) / float64(n)
}

// calibrate returns how many operations take about the wanted CPU time.
func calibrate(burst Burst, want time.Duration) int {
	const most = 1 << 30
	for n := 1; ; n *= 2 {
		start := processCPU()
		burst(n)
		took := processCPU() - start
		if took >= want/2 || n >= most {
			return max(1, int(float64(n)*float64(want)/float64(max(took, 1))))
		}
	}
}

// tally collects the rounds of one measurement.
type tally struct{ ratios, subjects, baselines []float64 }

func (t *tally) add(ratio, subject, baseline float64) {
	t.ratios = append(t.ratios, ratio)
	t.subjects = append(t.subjects, subject)
	t.baselines = append(t.baselines, baseline)
}

func (t *tally) figure() Figure {
	return Figure{
		Value: quantile(t.ratios, 0.5), Low: quantile(t.ratios, 0.25), High: quantile(t.ratios, 0.75),
		Case: quantile(t.subjects, 0.5), Base: quantile(t.baselines, 0.5),
	}
}

// quantile returns the q-quantile of values, interpolated, and leaves them as
// they are. Of no values it is 0.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}
