package prom

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// durations counts how long the runs of each check took, by outcome. A set's
// checks and outcomes are few and never grow without the program registering
// more, so neither does this.
//
// Samples come from a goroutine of the check's, for which no probe waits. The
// lock is held for a few additions, or a copy, and never while other code runs.
type durations struct {
	mu      sync.Mutex
	byCheck map[runs]*histogram
}

// runs are those of one check that ended alike.
type runs struct {
	check   string
	outcome check.Outcome
}

// histogram counts runs in the buckets of catalogue.DurationBounds and one more
// for all that took longer. The sum saturates, after 292 years of runs.
type histogram struct {
	counts [len(catalogue.DurationBounds) + 1]uint64
	sum    time.Duration
}

// recorded is what was recorded of one check with one outcome.
type recorded struct {
	runs
	histogram
}

// record counts one run.
func (d *durations) record(s check.Sample) {
	took := max(s.Duration, 0)
	bucket, _ := slices.BinarySearchFunc(catalogue.DurationBounds[:], took, func(bound float64, took time.Duration) int {
		return cmp.Compare(bound, took.Seconds())
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	key := runs{s.Name, s.Outcome}
	h := d.byCheck[key]
	if h == nil {
		if d.byCheck == nil {
			d.byCheck = map[runs]*histogram{}
		}
		h = new(histogram)
		d.byCheck[key] = h
	}
	h.counts[bucket]++
	h.sum += min(took, math.MaxInt64-h.sum)
}

// all returns what was recorded so far, in the order of checks and outcomes.
func (d *durations) all() []recorded {
	d.mu.Lock()
	all := make([]recorded, 0, len(d.byCheck))
	for key, h := range d.byCheck {
		all = append(all, recorded{key, *h})
	}
	d.mu.Unlock()
	slices.SortFunc(all, func(a, b recorded) int {
		return cmp.Or(cmp.Compare(a.check, b.check), cmp.Compare(a.outcome.String(), b.outcome.String()))
	})
	return all
}
