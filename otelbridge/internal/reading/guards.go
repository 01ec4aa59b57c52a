package reading

import (
	"slices"
	"strings"

	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// Guard is one resubscribe.Guard as it is now, and what the exporter prepared for
// its series, which differ in nothing but the metric.
type Guard[S any] struct {
	resubscribe.State
	Prepared S
}

// Value is what a metric of guards says of this one: a count, a state, or
// nanoseconds where the metric is in seconds. It is false where there is no series.
func (g *Guard[S]) Value(id catalogue.ID) (n int64, known bool) {
	switch id {
	case catalogue.ResubscribeInFlight:
		if g.InFlight {
			n = 1
		}
		return n, true
	case catalogue.ResubscribeOldestAge:
		return int64(g.OldestAge), g.InFlight
	case catalogue.ResubscribeSends:
		return saturated(g.Sends), true
	case catalogue.ResubscribePresumedLost:
		return saturated(g.PresumedLost), true
	case catalogue.ResubscribeBackoff:
		return int64(g.Backoff), true
	}
	return 0, false
}

// guard is one source with what was prepared for it, once and for all: a Guard
// keeps its key.
type guard[S any] struct {
	source   *resubscribe.Guard
	prepared S
}

// newGuards are in the order of their keys, as series are.
func newGuards[S any](sources []*resubscribe.Guard, prepare func(key string) S) []guard[S] {
	sources = slices.SortedFunc(slices.Values(sources), func(a, b *resubscribe.Guard) int {
		return strings.Compare(a.Key(), b.Key())
	})
	var all []guard[S]
	for _, g := range sources {
		all = append(all, guard[S]{g, prepare(g.Key())})
	}
	return all
}

// readGuards appends the guards as they are now.
func readGuards[S any](all []Guard[S], guards []guard[S]) []Guard[S] {
	for _, g := range guards {
		all = append(all, Guard[S]{g.source.State(), g.prepared})
	}
	return all
}
