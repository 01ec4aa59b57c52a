package liveness

import (
	"math"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// Judge returns the verdict on one processor as o shows it (S5.13-S5.17). It is
// a pure function: the same observation, watch and policy give the same verdict,
// whoever asks and however often. Every output of this module goes through it.
//
// The rules are in the package comment. A field of p that is negative, which
// NewMonitor would have refused, counts as not set.
func (p Policy) Judge(o board.Observation, w Watch) Verdict {
	var v Verdict
	p.judge(&o, &w, &v)
	return v
}

// judge is Judge without the copies. It writes every field of v.
func (p *Policy) judge(o *board.Observation, w *Watch, v *Verdict) {
	*v = Verdict{Key: o.Key}
	j := judging{policy: p, watch: w, observed: o, verdict: v, stale: p.staleAfter(o.Interval)}
	switch member := j.judge(); {
	case member >= 0:
		v.Worker = o.Workers[member].Name
	case member == faultedBy:
		v.Worker = o.FaultedBy
	}
}

// Values of finding.member that are no index of a worker.
const (
	ownLine   = -1
	faultedBy = -2 // Observation.FaultedBy
)

// lagRules tells whether a running processor's lag or position can matter.
func (p *Policy) lagRules() bool { return p.DegradedLag > 0 || p.StalledAfter > 0 }

// judging is one verdict in the making.
type judging struct {
	policy   *Policy
	watch    *Watch
	observed *board.Observation
	verdict  *Verdict
	stale    time.Duration
	lag      int64 // of the processor as a whole; 0 when unknown

	worst      finding       // of the lines that reported
	missing    finding       // the first worker that should have started
	reported   bool          // some line did
	active     bool          // some line is in Running, Idle or Busy
	oldestBeat time.Duration // of the lines in Running, or -1
	oldestBusy time.Duration // of the lines in Busy, or -1
	waiting    time.Duration // how long every active line has been Idle, or -1
}

// finding is what one line amounts to.
type finding struct {
	reason Reason
	member int // index of the worker, or one of the constants above
	state  board.State
	age    time.Duration
	bound  time.Duration // what age is measured against; 0 when nothing is
}

// worseThan orders findings by precedence, and those of one reason by how far
// they are past their bound.
func (f *finding) worseThan(g *finding) bool {
	if f.reason != g.reason {
		return f.reason < g.reason
	}
	return f.age-f.bound > g.age-g.bound
}

// judge returns the member of the pool that the verdict is about. Names stay out
// of the judging, so that it need not be allocated.
func (j *judging) judge() (member int) {
	o := j.observed
	j.oldestBeat, j.oldestBusy, j.waiting = -1, -1, math.MaxInt64
	j.missing.reason = Unreported
	j.lag, _, _ = o.TotalLag()
	switch o.State {
	case board.Faulted:
		j.hear(&o.Line, faultedBy)
	case board.Standby, board.Paused, board.Stopped:
		// The processor as a whole does not run here: its workers need not.
		j.hear(&o.Line, ownLine)
	default:
		j.hear(&o.Line, ownLine)
		for i := range o.Workers {
			j.hear(&o.Workers[i].Line, i)
		}
		j.judgeLag()
	}
	if !j.reported {
		j.note(j.unreported(&o.Line, ownLine))
	} else if j.missing.reason < min(j.worst.reason, Unreported) {
		j.worst = j.missing
	}
	return j.settle()
}

// hear takes in what one line says. A line that reported nothing says nothing,
// until it should have started.
func (j *judging) hear(l *board.Line, member int) {
	if l.State == board.Unreported {
		if f := j.unreported(l, member); member >= 0 && f.reason < j.missing.reason {
			j.missing = f
		}
		return
	}
	f := finding{reason: Faulted, member: member, state: l.State, age: l.Age}
	switch l.State {
	case board.Running:
		j.oldestBeat = max(j.oldestBeat, l.Age)
		f.reason, f.bound = j.overdue(l.Age, j.stale, Running, Stale), j.stale
	case board.Busy:
		j.oldestBusy = max(j.oldestBusy, l.Age)
		f.bound = j.policy.limitOf(l, j.observed.Interval)
		f.reason = j.overdue(l.Age, f.bound, Busy, Stuck)
	case board.Idle:
		f.reason = Idle
		if l.Age > j.stale && l.LagKnown && l.Lag > 0 {
			f.reason, f.bound = Starved, j.stale
		}
	case board.Standby:
		f.reason = Standby
	case board.Paused:
		f.reason = Paused
	case board.Stopped:
		f.reason = Stopped
	}
	switch l.State {
	case board.Running, board.Busy:
		j.active, j.waiting = true, -1
	case board.Idle:
		j.active, j.waiting = true, min(j.waiting, l.Age)
	}
	if f.reason > Stalled && inPlay(l.State) && j.stalled(l) {
		f.reason = Stalled
	}
	j.note(f)
	j.reported = true
}

// overdue returns bad for an age past its bound, strictly, unless the silence
// may be the observer's own.
func (j *judging) overdue(age, bound time.Duration, good, bad Reason) Reason {
	switch {
	case age <= bound:
		return good
	case j.watch.excuses(age, bound):
		return ObserverLate
	}
	return bad
}

// unreported judges a line that has reported nothing: a worker's, or that of a
// processor of which no line has.
func (j *judging) unreported(l *board.Line, member int) finding {
	f := finding{reason: Unreported, member: member, state: l.State, age: l.Age}
	if f.bound = atLeast(j.policy.StartWithin, j.observed.Interval); f.bound > 0 {
		f.reason = j.overdue(l.Age, f.bound, Unreported, NeverStarted)
	}
	return f
}

// judgeLag applies the rules that look at the processor as a whole.
func (j *judging) judgeLag() {
	o := j.observed
	if !j.active || j.lag <= 0 {
		return
	}
	f := j.worst
	f.member = ownLine
	switch {
	case j.stalled(&o.Line):
		f.reason = Stalled
	case j.waiting > j.stale && j.waiting < math.MaxInt64:
		f.reason, f.bound = Starved, j.stale
	case j.policy.DegradedLag > 0 && j.lag > j.policy.DegradedLag && !o.Rebuild:
		f.reason = Lagging
	default:
		return
	}
	if f.reason < j.worst.reason {
		j.worst = f
	}
}

// stalled tells whether a line's position stands still while it lags. Position
// and lag are those of one line: a lag that another line reports says nothing of
// how long there was something to do here.
func (j *judging) stalled(l *board.Line) bool {
	after := atLeast(j.policy.StalledAfter, j.observed.Interval)
	return after > 0 && l.LagKnown && l.Lag > 0 && l.PositionKnown && l.PositionAge > after
}

// note keeps the worse of two findings.
func (j *judging) note(f finding) {
	if !j.reported || f.worseThan(&j.worst) {
		j.worst = f
	}
}

// settle writes what was found into the verdict, and returns whom to name.
func (j *judging) settle() (member int) {
	v, f := j.verdict, &j.worst
	v.Reason, v.Status, v.State = f.reason, f.reason.status(), f.state
	v.Age, v.Bound = f.age, f.bound
	if j.oldestBeat >= 0 {
		v.Age = j.oldestBeat
	}
	if f.reason == Stalled || f.reason == Starved || f.reason == Lagging {
		v.Behind = j.lag
	}
	switch {
	case f.state == board.Busy:
		v.Busy = f.age
	case j.oldestBusy >= 0:
		v.Busy = j.oldestBusy
	}
	if v.Status == check.Healthy {
		return ownLine
	}
	if v.Status == check.Unhealthy && j.observed.Rebuild && j.policy.RebuildsDegradeOnly {
		v.Status = check.Degraded
	}
	return f.member
}

// inPlay tells whether the lag rules apply to a line in this state.
func inPlay(s board.State) bool {
	return s == board.Running || s == board.Idle || s == board.Busy
}
