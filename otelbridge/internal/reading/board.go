package reading

import (
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
)

// Row is one processor: its facts, and what the exporter prepared for it.
type Row[P any] struct {
	Facts
	Prepared P
}

// Board is one board as one collection read it. All its rows rest on one reading
// of the board's clock.
type Board[P any] struct {
	Rows   []Row[P] // in key order
	Totals Totals
}

// Totals tells of a board as a whole, and of the side that watches it.
type Totals struct {
	Processors [check.Healthy + 1]int64 // by status

	Oldest  time.Duration // of the rows' ages, valid while Beating
	Beating bool          // a row is

	RefusedRegistrations, ClampedLags, DroppedTransitions int64 // since the start

	Lateness      time.Duration // of the watching side, valid while LatenessKnown
	LatenessKnown bool
}

// source is one monitor with what was prepared for its processors.
type source[P any] struct {
	monitor  *liveness.Monitor
	prepare  func(key string) P
	prepared cache[P]
}

// read reads the board anew into b: what it shows, and the verdict on just that.
func (s *source[P]) read(b *Board[P]) {
	rows := b.Rows[:0]
	if n := s.monitor.Board().Len(); cap(rows) < n {
		rows = make([]Row[P], 0, n+n/16) // between scrapes the pool was emptied, or the board has grown
	}
	w := s.prepared.walk()
	for o, v := range s.monitor.All() {
		rows = append(rows, Row[P]{
			Facts:    factsOf(&o, &v, s.monitor.PolicyFor(o.Key)),
			Prepared: w.find(o.Key, s.prepare),
		})
	}
	w.end()
	b.Rows = rows
	b.Totals = s.totals(rows)
}

// totals sums up the rows that the processors' own series are made of, so that
// the two never disagree.
func (s *source[P]) totals(rows []Row[P]) Totals {
	var t Totals
	for i := range rows {
		f := &rows[i].Facts
		t.Processors[f.Status]++
		if f.Beating {
			t.Oldest, t.Beating = max(t.Oldest, f.Age), true
		}
	}
	events := s.monitor.Board().Events()
	t.RefusedRegistrations = saturated(events.RefusedRegistrations)
	t.ClampedLags = saturated(events.ClampedLags)
	t.DroppedTransitions = saturated(s.monitor.DroppedTransitions())
	t.Lateness, t.LatenessKnown = s.monitor.Lateness()
	return t
}
