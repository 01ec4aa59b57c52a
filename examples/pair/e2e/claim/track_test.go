package claim

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTrack(t *testing.T) {
	type sample struct {
		at     int64
		active bool
	}
	for _, c := range []struct {
		name    string
		samples []sample
		want    []Span
	}{
		{name: "never asked"},
		{name: "never active", samples: []sample{{1, false}, {2, false}}},
		{name: "once", samples: []sample{{5, true}}, want: []Span{{5, 5}}},
		{name: "goes on", samples: []sample{{5, true}, {6, true}, {9, true}, {10, false}}, want: []Span{{5, 9}}},
		{name: "a no between", samples: []sample{{1, true}, {2, false}, {3, true}, {4, true}}, want: []Span{{1, 1}, {3, 4}}},
		{name: "a pause without a no counts", samples: []sample{{1, true}, {900, true}}, want: []Span{{1, 900}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var track Track
			for _, s := range c.samples {
				track.Sample(s.at, s.active)
			}
			got, complete := track.Spans()
			if diff := cmp.Diff(c.want, got); diff != "" || !complete {
				t.Errorf("complete %v, spans -want +got:\n%s", complete, diff)
			}
		})
	}
}

func TestTrackTellsThatItIsFull(t *testing.T) {
	var track Track
	for i := range int64(capacity) {
		track.Sample(2*i, true)
		track.Sample(2*i+1, false)
	}
	if spans, complete := track.Spans(); len(spans) != capacity || !complete {
		t.Fatalf("got %d spans, complete %v; want %d that are complete", len(spans), complete, capacity)
	}
	track.Sample(1e6, true)
	track.Sample(1e6+1, true)
	if spans, complete := track.Spans(); len(spans) != capacity || complete {
		t.Fatalf("got %d spans, complete %v; want %d that are not", len(spans), complete, capacity)
	}
}

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b Span
		want time.Duration
	}{
		{name: "apart", a: Span{1, 4}, b: Span{6, 9}},
		{name: "touching", a: Span{1, 4}, b: Span{4, 9}, want: 1},
		{name: "one after the other", a: Span{1, 4}, b: Span{5, 9}},
		{name: "by two", a: Span{1, 5}, b: Span{4, 9}, want: 2},
		{name: "inside", a: Span{1, 9}, b: Span{4, 6}, want: 3},
		{name: "a single claim inside", a: Span{1, 9}, b: Span{5, 5}, want: 1},
		{name: "the same", a: Span{1, 9}, b: Span{1, 9}, want: 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, back := c.a.Overlap(c.b), c.b.Overlap(c.a); got != c.want || back != c.want {
				t.Errorf("got %d and %d, want %d", got, back, c.want)
			}
		})
	}
}
