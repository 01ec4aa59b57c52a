package adapter

import (
	"math"
	"testing"
	"time"
)

// TestAgeBound tries an answer when it is exactly as old as it may be, and 1 ns
// older, for each endpoint (S2.11, X18).
func TestAgeBound(t *testing.T) {
	const born = instant(time.Hour)
	s := &standing{passes: [endpoints]bool{true, true, true}, from: born}
	for e := startup; e < endpoints; e++ {
		for _, c := range []struct {
			age  time.Duration
			want bool
		}{
			{-time.Hour, true}, // a clock that reads back is no age (X27)
			{0, true}, {maxAge - 1, true}, {maxAge, true}, {maxAge + 1, false}, {time.Hour, false},
		} {
			if got := s.holds(e, born+instant(c.age), maxAge); got != c.want {
				t.Errorf("endpoint %d at the age of %v: %v, want %v", e, c.age, got, c.want)
			}
		}
	}
}

// TestStandingDenies has nothing, and what is no endpoint, answered with no.
func TestStandingDenies(t *testing.T) {
	for e := startup; e < endpoints; e++ {
		if (*standing)(nil).holds(e, 0, maxAge) || (&standing{}).holds(e, 0, maxAge) {
			t.Errorf("endpoint %d: nothing passes", e)
		}
	}
	yes := &standing{passes: [endpoints]bool{true, true, true}}
	if yes.holds(-1, 0, maxAge) || yes.holds(endpoints, 0, maxAge) {
		t.Error("an endpoint that does not exist passes")
	}
}

// TestNodeAge turns milliseconds of any size into an age that is not too young.
func TestNodeAge(t *testing.T) {
	for ms, want := range map[int64]time.Duration{
		math.MinInt64: 0, -1: 0, 0: 0, 1: time.Millisecond, 3000: 3 * time.Second,
	} {
		if got := nodeAge(ms); got != want {
			t.Errorf("%d ms: %v, want %v", ms, got, want)
		}
	}
	for _, ms := range []int64{1 << 43, 1<<53 - 1, math.MaxInt64} {
		now := instant(math.MaxInt64 / 4)
		if got := now.since(now.less(nodeAge(ms))); got < 24*time.Hour {
			t.Errorf("%d ms: only %v", ms, got)
		}
	}
}
