package prom

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// TestDurationsBuckets: a bound belongs to its bucket, what is past the last one
// has a bucket, a negative duration is none, and the sum saturates.
func TestDurationsBuckets(t *testing.T) {
	for _, c := range []struct {
		took   time.Duration
		bucket int
	}{
		{-1, 0},
		{0, 0},
		{time.Millisecond, 0},
		{time.Millisecond + 1, 1},
		{time.Second, 7},
		{time.Second + 1, 8},
		{10 * time.Second, 10},
		{10*time.Second + 1, 11},
		{math.MaxInt64, 11},
	} {
		var d durations
		d.record(check.Sample{Duration: c.took})
		if sum := d.all()[0].sum; sum != max(c.took, 0) {
			t.Errorf("%v: sum %v after one run", c.took, sum)
		}
		d.record(check.Sample{Duration: c.took})
		got := d.all()[0]
		if got.counts[c.bucket] != 2 || got.sum < 0 || got.sum < c.took {
			t.Errorf("%v: buckets %v, sum %v; want bucket %d", c.took, got.counts, got.sum, c.bucket)
		}
	}
}

// TestDurationsConcurrentSafe: a copy is of one moment, so its sum is that of its
// counts, and no run is lost.
func TestDurationsConcurrentSafe(t *testing.T) {
	const runs = 1000
	var d durations
	var writers sync.WaitGroup
	for n := range 4 {
		writers.Go(func() {
			for range runs {
				d.record(check.Sample{Name: fmt.Sprint(n % 2), Outcome: check.OK, Duration: time.Second})
			}
		})
	}
	for range 100 {
		for _, r := range d.all() {
			if r.sum != time.Duration(r.counts[7])*time.Second {
				t.Fatalf("%d runs of a second take %v", r.counts[7], r.sum)
			}
		}
	}
	writers.Wait()
	if all := d.all(); len(all) != 2 || all[0].counts[7] != 2*runs || all[1].counts[7] != 2*runs {
		t.Errorf("recorded %v", all)
	}
}
