package otelbridge

import (
	"math"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
)

// facts is what one collection tells of one processor: the monitor's verdict,
// and what the observation holds beside it. What is not known is not told.
type facts struct {
	status check.Status
	reason liveness.Reason

	// age is that of the oldest beat that another must follow, valid while
	// beating: a line is Running, and there was a beat at all (CASE-114).
	age     time.Duration
	beating bool
	stale   time.Duration // the bound on age
	busy    time.Duration // of the oldest unit of work, valid while working
	working bool

	lag           int64
	lagKnown      bool
	lagBound      int64 // 0: none
	position      int64
	positionKnown bool

	beats, starts, faults int64
	rebuild               bool
}

// factsOf puts them together. Everything comes from the observation, save what
// is judged, which comes from the verdict alone.
func factsOf(o *board.Observation, v *liveness.Verdict, p liveness.Policy) facts {
	p = p.Resolve(o.Interval)
	f := facts{
		status: v.Status.Known(), reason: v.Reason,
		age: v.Age, stale: p.StaleAfter, lagBound: p.DegradedLag,
		position: o.Position, positionKnown: o.PositionKnown,
		beats: saturated(o.Beats), starts: saturated(o.Starts), faults: saturated(o.Faults),
		rebuild: o.Rebuild,
	}
	f.lag, _, f.lagKnown = o.TotalLag()
	f.hear(&o.Line, o.Beats)
	if o.State <= board.Busy { // else the processor does not run here, and its workers need not
		for i := range o.Workers {
			f.hear(&o.Workers[i].Line, o.Beats)
		}
	}
	return f
}

// hear takes in whether a line must beat or is at work.
func (f *facts) hear(l *board.Line, beats uint64) {
	if l.State == board.Running {
		f.beating = f.beating || beats > 0
	}
	if l.State == board.Busy {
		f.busy, f.working = max(f.busy, l.Age), true
	}
}

// saturated is n as what OpenTelemetry can carry.
func saturated(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
