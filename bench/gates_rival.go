package bench

import (
	"time"

	"github.com/loopvitals/loopvitals/bench/rival"
	"github.com/loopvitals/loopvitals/board"
)

// rivalGates hold a report against the same report into a map of records: the
// faster map of the two, with the collections that its garbage causes.
func rivalGates() []Gate {
	return []Gate{
		{ID: "P10", Name: "dictionary of records/beatlag", Bound: 3.5, Min: true, Measure: func(s Settings) (Figure, error) {
			s.Collect = true
			return compareDictionary(s, rival.NewXSync()), nil
		}},
	}
}

// compareDictionary reports for one processor of many, always the same, so
// that its record and its place in the map stay in the cache: the map's best
// case.
func compareDictionary(s Settings, d rival.Dictionary) Figure {
	const processors, hot = 10_000, 5_000
	b := board.New()
	var r *board.Reporter
	var id string
	for i, key := range ids(processors) {
		d.Report(key, false, 0, false, time.Now())
		reporter := b.MustRegister(board.Spec{ID: key})
		if i == hot {
			r, id = reporter, key
		}
	}
	return Compare(s, func(n int) {
		for i := range n {
			d.Report(id, false, int64(i), false, time.Now())
		}
	}, lags(r))
}
