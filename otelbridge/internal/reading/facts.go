package reading

import (
	"math"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
)

// Facts is what one collection tells of one processor: the monitor's verdict,
// and what the observation holds beside it. What is not known is not told.
type Facts struct {
	// Age is that of the oldest beat that another must follow, valid while
	// Beating: a line is Running, and there was a beat at all (CASE-114).
	Age   time.Duration
	Stale time.Duration // the bound on Age
	Busy  time.Duration // of the oldest unit of work, valid while Working

	Lag      int64 // valid while LagKnown
	LagBound int64 // 0: none
	Position int64 // valid while PositionKnown

	Beats, Starts, Faults int64

	Status check.Status // one of the three
	Reason liveness.Reason

	Beating, Working, LagKnown, PositionKnown, Rebuild bool
}

// factsOf puts them together. Everything comes from the observation, save what
// is judged, which comes from the verdict alone.
func factsOf(o *board.Observation, v *liveness.Verdict, p liveness.Policy) Facts {
	p = p.Resolve(o.Interval)
	f := Facts{
		Status: v.Status.Known(), Reason: v.Reason,
		Age: v.Age, Stale: p.StaleAfter, LagBound: p.DegradedLag,
		Position: o.Position, PositionKnown: o.PositionKnown,
		Beats: saturated(o.Beats), Starts: saturated(o.Starts), Faults: saturated(o.Faults),
		Rebuild: o.Rebuild,
	}
	f.Lag, _, f.LagKnown = o.TotalLag()
	f.hear(&o.Line, o.Beats)
	if o.State <= board.Busy { // else the processor does not run here, and its workers need not
		for i := range o.Workers {
			f.hear(&o.Workers[i].Line, o.Beats)
		}
	}
	return f
}

// hear takes in whether a line must beat or is at work.
func (f *Facts) hear(l *board.Line, beats uint64) {
	if l.State == board.Running {
		f.Beating = f.Beating || beats > 0
	}
	if l.State == board.Busy {
		f.Busy, f.Working = max(f.Busy, l.Age), true
	}
}

// saturated is n as what every exporter can carry.
func saturated(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
