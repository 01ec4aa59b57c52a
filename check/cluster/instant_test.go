package cluster_test

import (
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

func TestInstant(t *testing.T) {
	i := cluster.Instant(5)
	if got := i.Add(time.Second).Sub(i); got != time.Second {
		t.Errorf("a second later is %v later", got)
	}
	if got := i.Sub(i.Add(3)); got != -3 {
		t.Errorf("earlier minus later is %v", got)
	}
}

// TestBootClockGoesOn: at least as far as the clock of timers, which it is compared
// with from the outside.
func TestBootClockGoesOn(t *testing.T) {
	var clock cluster.BootClock
	before := clock.Now()
	began := time.Now()
	var last cluster.Instant
	for time.Since(began) < 5*time.Millisecond {
		next := clock.Now()
		if next < last {
			t.Fatalf("went back from %d to %d", last, next)
		}
		last = next
	}
	within := time.Since(began)
	if passed := clock.Now().Sub(before); passed < within {
		t.Errorf("%v have passed, and at least %v must", passed, within)
	}
}
