//go:build linux

package bench

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick is short, yet long enough for a median that a busy machine cannot move.
var quick = Settings{Rounds: 15, Burst: 400 * time.Microsecond}

var sink uint64

// turns returns a burst whose operation is k dependent steps.
func turns(k int) Burst {
	return func(n int) {
		x := sink | 1
		for range n {
			for range k {
				x ^= x << 13
				x ^= x >> 7
				x ^= x << 17
			}
		}
		sink = x
	}
}

func TestCompareFindsKnownRatios(t *testing.T) {
	for _, tt := range []struct {
		name              string
		subject, baseline Burst
		want              float64
	}{
		{"the same work", turns(200), turns(200), 1},
		{"twice the work", turns(400), turns(200), 2},
		{"half the work", turns(200), turns(400), 0.5},
		{"long operations, one a burst", turns(400_000), turns(200_000), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			patiently(t, func() error {
				got := Compare(quick, tt.subject, tt.baseline)
				if got.Low > got.Value || got.Value > got.High {
					t.Errorf("quartiles %v do not hold the median", got)
				}
				if math.Abs(got.Value/tt.want-1) > 0.15 {
					return fmt.Errorf("ratio %v, want about %v", got, tt.want)
				}
				if sides := got.Case / got.Base; math.Abs(sides/tt.want-1) > 0.3 {
					return fmt.Errorf("sides %v, want a ratio of about %v", got, tt.want)
				}
				return nil
			})
		})
	}
}

// A machine that halves its speed in the middle of a measurement must not
// move the ratio: that is what the pairing is for.
func TestCompareIsPaired(t *testing.T) {
	patiently(t, func() error {
		bursts := 0
		drifting := func(k int) Burst {
			fast, slow := turns(k), turns(4*k)
			return func(n int) {
				bursts++
				if bursts > 40 { // Warm-ups count too: about a third of the rounds.
					slow(n)
					return
				}
				fast(n)
			}
		}
		got := Compare(quick, drifting(400), drifting(200))
		if math.Abs(got.Value/2-1) > 0.15 {
			return fmt.Errorf("ratio %v on a drifting machine, want about 2", got)
		}
		return nil
	})
}

func TestCompareRunsBothOnceARoundInEitherOrder(t *testing.T) {
	var order []byte
	record := func(c byte) Burst {
		work := turns(200)
		return func(n int) {
			order = append(order, c)
			work(n)
		}
	}
	s := Settings{Rounds: 40, Burst: 50 * time.Microsecond}
	Compare(s, record('s'), record('b'))
	// Each side warms up and then runs: four calls a round, after the calls of
	// the calibration.
	rounds := order[len(order)-4*s.Rounds:]
	seen := map[string]int{}
	for ; len(rounds) > 0; rounds = rounds[4:] {
		seen[string(rounds[:4])]++
	}
	if len(seen) != 2 || seen["ssbb"] == 0 || seen["bbss"] == 0 {
		t.Errorf("orders %v, want some ssbb and some bbss", seen)
	}
}

func TestCompareRestoresTheCollector(t *testing.T) {
	before := debug.SetGCPercent(87)
	defer debug.SetGCPercent(before)
	Compare(Settings{Rounds: 1, Burst: time.Microsecond}, turns(1), turns(1))
	if after := debug.SetGCPercent(87); after != 87 {
		t.Errorf("GC percent %d after a measurement, want 87 as before", after)
	}
}

var garbage []byte

// The side that allocates pays for it, or not, as the settings say.
func TestCompareCollects(t *testing.T) {
	for _, collect := range []bool{false, true} {
		var before, after runtime.MemStats
		collections := func() uint32 {
			runtime.ReadMemStats(&after)
			return after.NumGC - before.NumGC
		}
		var within uint32
		allocate := func(n int) {
			runtime.ReadMemStats(&before)
			for range n {
				garbage = make([]byte, 4096)
			}
			within += collections()
		}
		Compare(Settings{Rounds: 3, Burst: 10 * time.Millisecond, Collect: collect}, allocate, turns(200))
		if (within > 0) != collect {
			t.Errorf("collect %v: %d collections within bursts", collect, within)
		}
	}
}

func TestCalibrateAimsAtTheBurst(t *testing.T) {
	patiently(t, func() error {
		work := turns(200)
		n := calibrate(work, 2*time.Millisecond)
		start := processCPU()
		work(n)
		if took := processCPU() - start; took < 500*time.Microsecond || took > 8*time.Millisecond {
			return fmt.Errorf("burst of %d took %v, want about 2ms", n, took)
		}
		return nil
	})
	if n := calibrate(func(n int) { turns(1_000_000)(n) }, time.Microsecond); n != 1 {
		t.Errorf("burst of %d for an operation longer than a burst, want 1", n)
	}
}

func TestQuantile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		q      float64
		want   float64
	}{
		{"nothing", nil, 0.5, 0},
		{"one value", []float64{3}, 0.5, 3},
		{"odd", []float64{9, 1, 2}, 0.5, 2},
		{"even", []float64{4, 1, 3, 2}, 0.5, 2.5},
		{"an outlier changes nothing", []float64{1, 2, 1e9}, 0.5, 2},
		{"lower quartile", []float64{5, 4, 3, 2, 1}, 0.25, 2},
		{"upper quartile", []float64{5, 4, 3, 2, 1}, 0.75, 4},
		{"least", []float64{2, 1}, 0, 1},
		{"greatest", []float64{2, 1}, 1, 2},
	} {
		if got := quantile(tt.values, tt.q); got != tt.want {
			t.Errorf("%s: quantile(%v, %v) = %v, want %v", tt.name, tt.values, tt.q, got, tt.want)
		}
	}
	values := []float64{3, 1, 2}
	quantile(values, 0.5)
	if values[0] != 3 {
		t.Error("quantile reordered its argument")
	}
}

func TestSettingsDefaults(t *testing.T) {
	if got, want := (Settings{}).withDefaults(), (Settings{Rounds: 45, Burst: 1500 * time.Microsecond}); got != want {
		t.Errorf("zero settings mean %+v, want %+v", got, want)
	}
	set := Settings{Rounds: 3, Burst: time.Millisecond}
	if got := set.withDefaults(); got != set {
		t.Errorf("settings %+v became %+v", set, got)
	}
	if got := (Settings{Collect: true}).withDefaults().Burst; got != 20*time.Millisecond {
		t.Errorf("bursts with collections take %v, want 20ms", got)
	}
}
