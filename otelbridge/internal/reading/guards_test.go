package reading

import (
	"math"
	"slices"
	"testing"

	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// TestGuardIsTold takes every field of a state to its series: there is no age
// without a request, and counts do not wrap.
func TestGuardIsTold(t *testing.T) {
	type told struct {
		id catalogue.ID
		n  int64
	}
	for name, c := range map[string]struct {
		state resubscribe.State
		want  []told
	}{
		"a request": {
			resubscribe.State{InFlight: true, OldestAge: 7, Sends: 3, PresumedLost: 2, Backoff: 5, Epoch: 9},
			[]told{
				{catalogue.ResubscribeInFlight, 1},
				{catalogue.ResubscribeOldestAge, 7},
				{catalogue.ResubscribeSends, 3},
				{catalogue.ResubscribePresumedLost, 2},
				{catalogue.ResubscribeBackoff, 5},
			},
		},
		"a request of now": {
			resubscribe.State{InFlight: true, Sends: 1, Backoff: 5},
			[]told{
				{catalogue.ResubscribeInFlight, 1},
				{catalogue.ResubscribeOldestAge, 0},
				{catalogue.ResubscribeSends, 1},
				{catalogue.ResubscribePresumedLost, 0},
				{catalogue.ResubscribeBackoff, 5},
			},
		},
		"none": {
			resubscribe.State{Sends: math.MaxUint64, PresumedLost: 1 << 63, Backoff: 5, NextIn: 8, NextKnown: true},
			[]told{
				{catalogue.ResubscribeInFlight, 0},
				{catalogue.ResubscribeSends, math.MaxInt64},
				{catalogue.ResubscribePresumedLost, math.MaxInt64},
				{catalogue.ResubscribeBackoff, 5},
			},
		},
	} {
		g, got := Guard[struct{}]{State: c.state}, []told(nil)
		for id := range catalogue.Count {
			if n, known := g.Value(id); known {
				got = append(got, told{id, n})
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: told %v, want %v", name, got, c.want)
		}
	}
}

// TestGuardsAreSortedAndKept: guards come in the order of their keys, what was made
// for each is made once, and whoever gave the list may change it.
func TestGuardsAreSortedAndKept(t *testing.T) {
	var sources []*resubscribe.Guard
	for _, key := range []string{"b", "c", "a"} {
		g, err := resubscribe.New(resubscribe.Config{Key: key})
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, g)
	}
	made := 0
	r := New(Sources{Guards: sources}, nil, Prepare[int, int, string]{Guard: func(key string) string { made++; return key }})
	clear(sources)
	for range 2 {
		p := r.Read()
		var got []string
		for _, g := range p.Guards {
			got = append(got, g.Prepared)
		}
		if !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("guards %v", got)
		}
		r.Release(p)
	}
	if made != 3 {
		t.Errorf("prepared %d times for 3 guards", made)
	}
}
