package resubscribe

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// almostOne is the largest number that rand.Float64 can return.
var almostOne = math.Nextafter(1, 0)

// TestBackoffWithoutJitter is the table of CASE-119 and X21.
func TestBackoffWithoutJitter(t *testing.T) {
	b := Backoff{NoJitter: true}
	for failures, want := range map[int]time.Duration{
		math.MinInt: 5 * time.Second, -1: 5 * time.Second, 0: 5 * time.Second,
		1: 5 * time.Second, 2: 10 * time.Second, 3: 20 * time.Second, 4: 40 * time.Second,
		5: 60 * time.Second, 6: 60 * time.Second, 35: 60 * time.Second, 40: 60 * time.Second,
		64: 60 * time.Second, 84: 60 * time.Second, 200: 60 * time.Second, math.MaxInt: 60 * time.Second,
	} {
		for _, random := range []float64{0, 0.5, almostOne} {
			if got := b.Next(failures, random); got != want {
				t.Errorf("after %d failures, random %v: %v, want %v", failures, random, got, want)
			}
		}
	}
}

// TestBackoffWithJitter shows the range at the floor, at the cap and between: at random
// 0, in the middle, and just below 1.
func TestBackoffWithJitter(t *testing.T) {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	for _, c := range []struct {
		name              string
		b                 Backoff
		failures          int
		low, middle, high time.Duration
	}{
		{"nothing has failed", Backoff{}, 0, seconds(5), seconds(5.5), seconds(6)},
		{"at the floor", Backoff{}, 1, seconds(5), seconds(5.5), seconds(6)},
		{"twice", Backoff{}, 2, seconds(8), seconds(10), seconds(12)},
		{"three times", Backoff{}, 3, seconds(16), seconds(20), seconds(24)},
		{"four times", Backoff{}, 4, seconds(32), seconds(40), seconds(48)},
		{"at the cap", Backoff{}, 5, seconds(48), seconds(54), seconds(60)},
		{"35 failures", Backoff{}, 35, seconds(48), seconds(54), seconds(60)},
		{"40 failures", Backoff{}, 40, seconds(48), seconds(54), seconds(60)},
		{"64 failures", Backoff{}, 64, seconds(48), seconds(54), seconds(60)},
		{"84 failures", Backoff{}, 84, seconds(48), seconds(54), seconds(60)},
		{"200 failures", Backoff{}, 200, seconds(48), seconds(54), seconds(60)},
		{"unresolved items", Backoff{Floor: 10 * time.Second, Max: 5 * time.Minute}, 200, seconds(240), seconds(270), seconds(300)},
		{"the cap is near the delay", Backoff{Max: 42 * time.Second}, 4, seconds(32), seconds(37), seconds(42)},
		{"the floor is the cap", Backoff{Floor: time.Second, Max: time.Second}, 3, seconds(1), seconds(1), seconds(1)},
		{"the cap is within the first range", Backoff{Floor: seconds(10), Max: seconds(11)}, 1, seconds(10), seconds(10.5), seconds(11)},
		{"twice the floor is above the cap", Backoff{Floor: seconds(10), Max: seconds(11)}, 2, seconds(10), seconds(10.5), seconds(11)},
		{"all of it", Backoff{Jitter: 1}, 3, seconds(5), seconds(22.5), seconds(40)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.b.Next(c.failures, 0); got != c.low {
				t.Errorf("random 0: %v, want %v", got, c.low)
			}
			if got := c.b.Next(c.failures, 0.5); got != c.middle {
				t.Errorf("random 0.5: %v, want %v", got, c.middle)
			}
			if got := c.b.Next(c.failures, almostOne); got > c.high || got < c.high-time.Microsecond {
				t.Errorf("random just below 1: %v, want %v at most, and hardly less", got, c.high)
			}
		})
	}
}

// TestBackoffOfAnyInput wants a delay within the bounds whatever it is asked.
func TestBackoffOfAnyInput(t *testing.T) {
	limit := Backoff{Floor: math.MaxInt64 - 1, Max: math.MaxInt64, Jitter: 1}
	for _, b := range []Backoff{
		{},
		{Max: math.MaxInt64},
		{Max: math.MaxInt64, Jitter: 1},
		limit,
		{Floor: time.Millisecond, Max: math.MaxInt64, Jitter: math.SmallestNonzeroFloat64},
		{Floor: -1},
		{Floor: time.Hour},
		{Jitter: math.NaN()},
		{Jitter: math.Inf(1)}, // refused: as the default
	} {
		settled, err := b.settle()
		if err != nil {
			settled, _ = Backoff{}.settle()
		}
		for _, failures := range []int{math.MinInt, 0, 1, 2, 35, 40, 64, 84, 200, math.MaxInt} {
			for _, random := range []float64{math.NaN(), math.Inf(-1), -1, 0, 0.3, almostOne, 1, 7, math.Inf(1)} {
				got := b.Next(failures, random)
				if got < settled.Floor || got > settled.Max {
					t.Errorf("%+v after %d failures, random %v: %v, want %v to %v", b, failures, random, got, settled.Floor, settled.Max)
				}
			}
		}
	}
	if got := (Backoff{Max: math.MaxInt64, NoJitter: true}).Next(200, 0); got != math.MaxInt64 {
		t.Errorf("an endless maximum after 200 failures: %v, want it", got)
	}
}

// TestBackoffProperties: within floor and cap, never sooner after more failures, and
// never sooner for a larger random.
func TestBackoffProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		floor := rapid.Int64Range(int64(shortestTime), math.MaxInt64).Draw(t, "floor")
		b := Backoff{
			Floor:  time.Duration(floor),
			Max:    time.Duration(rapid.Int64Range(floor, math.MaxInt64).Draw(t, "max")),
			Jitter: rapid.Float64Range(0.001, 1).Draw(t, "jitter"),
		}
		if rapid.Bool().Draw(t, "no jitter") {
			b.Jitter, b.NoJitter = 0, true
		}
		failures := rapid.IntRange(0, 300).Draw(t, "failures")
		random := rapid.Float64Range(0, almostOne).Draw(t, "random")
		got := b.Next(failures, random)
		if got < b.Floor || got > b.Max {
			t.Fatalf("%v, want %v to %v", got, b.Floor, b.Max)
		}
		if more := b.Next(failures+1, random); more < got {
			t.Fatalf("%v after %d failures, and %v after one more", got, failures, more)
		}
		if later := b.Next(failures, random+(1-random)/2); later < got {
			t.Fatalf("%v for random %v, and %v for a larger", got, random, later)
		}
	})
}

// TestBackoffAllocatesNothing: it is asked under the lock.
func TestBackoffAllocatesNothing(t *testing.T) {
	b := Backoff{}
	if n := testing.AllocsPerRun(100, func() { b.Next(200, 0.3) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
