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

// spareRows is how much room is always worth keeping: some tens of KiB.
const spareRows = 256

// source is one monitor with what was prepared for its processors.
type source[P any] struct {
	monitor  *liveness.Monitor
	prepare  func(key string) P
	prepared cache[P]
}

// read reads the board anew into b: what it shows, and the verdict on just that.
func (s *source[P]) read(b *Board[P]) {
	before := b.Rows
	rows := roomFor(before[:0], s.monitor.Board().Len())
	w := s.prepared.walk()
	for o, v := range s.monitor.All() {
		rows = append(rows, Row[P]{
			Facts:    factsOf(&o, &v, s.monitor.PolicyFor(o.Key)),
			Prepared: w.find(o.Key, s.prepare),
		})
	}
	w.end()
	// What was prepared for processors that left would live as long as the Pass,
	// which a pool may keep for ever.
	clear(before[min(len(rows), len(before)):])
	b.Rows = rows
	b.Totals = s.totals(rows)
}

// roomFor returns empty rows with room for n: new ones when the pool was emptied
// between scrapes, the board has grown, or it was once so much larger that its
// room is not worth keeping.
func roomFor[P any](rows []Row[P], n int) []Row[P] {
	room := n + n/16
	if cap(rows) < n || cap(rows) > 2*room+spareRows {
		return make([]Row[P], 0, room)
	}
	return rows
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
