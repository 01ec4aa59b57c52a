package liveness

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

const (
	// minWedged is the least time a processor must be lost before a restart is
	// thought of.
	minWedged = 60 * time.Second
	// wedgedBounds is the same in bounds of the processor.
	wedgedBounds = 10
)

// Wedged returns the check for the opt-in restart tier (X3): Unhealthy when a
// processor, or any worker of it, has been faulted, stale or stuck for longer,
// strictly, than max(after, 10 x its bound, 60 s). Zero is a legal after. A restart is a heavy
// tool, so this check doubts itself more than Check does:
//
//   - Stale begins when the bound has passed, and nothing counts that the
//     observer was not there to hear.
//   - While the observer is late the check is Degraded at most.
//   - A rebuild under RebuildsDegradeOnly does not count.
//
// Like the Monitor it only reads memory. A negative after counts as zero.
func (m *Monitor) Wedged(after time.Duration) check.Checker {
	return wedged{monitor: m, after: after}
}

type wedged struct {
	monitor *Monitor
	after   time.Duration
}

// Instant marks the check as one that only reads memory.
func (wedged) Instant() {}

// Check names the processor that is lost for longest.
func (w wedged) Check(context.Context) check.Result {
	m := w.monitor
	if m == nil {
		return check.Result{Status: check.Degraded, Description: "no monitor"}
	}
	p := m.begin()
	defer m.end(p)
	var worst loss
	count := 0
	for s := p.sweep(); s.Next(); {
		if p.well(s.Running()) || !p.judge(&s) {
			continue
		}
		if l := w.lost(p); l.over > 0 {
			count++
			if l.lost > worst.lost {
				worst = l
			}
		}
	}
	if count == 0 {
		return check.Result{Status: check.Healthy, Description: "no processor is wedged"}
	}
	text := worst.verdict.Text()
	if count > 1 {
		text += ", and " + strconv.Itoa(count-1) + " more"
	}
	if p.watch.Late {
		return check.Result{Status: check.Degraded, Description: "the observer is late: " + text}
	}
	return check.Result{Status: check.Unhealthy, Description: text}
}

// loss is how long a line has been faulted, stale or stuck, as far as the
// observer can vouch for it, and how far that is over the limit.
type loss struct {
	lost, over time.Duration
	verdict    Verdict // on that line alone
}

// lost finds the worst loss of the processor that the pass is at. Every line
// counts by itself: a worker that is lost for long is not covered by another
// with the worse verdict.
func (w wedged) lost(p *pass) (worst loss) {
	o, policy := &p.seen, p.policyOfSeen()
	if o.Rebuild && policy.RebuildsDegradeOnly {
		return worst
	}
	hear := func(l *board.Line, worker string) {
		v := Verdict{Key: o.Key, Worker: worker, State: l.State, Age: l.Age}
		begun := time.Duration(0) // the loss begins when this has passed
		switch l.State {
		case board.Faulted:
			v.Reason, v.Bound = Faulted, policy.staleAfter(o.Interval)
		case board.Running:
			v.Reason, v.Bound = Stale, policy.staleAfter(o.Interval)
			begun = v.Bound
		case board.Busy:
			v.Reason, v.Bound, v.Busy = Stuck, policy.limitOf(l, o.Interval), l.Age
			begun = v.Bound
		default:
			return
		}
		if begun > 0 && p.watch.excuses(l.Age, begun) {
			return // the silence may be the observer's own
		}
		lost := p.watch.heard(l.Age) - begun
		if over := lost - w.limit(v.Bound); over > worst.over {
			worst = loss{lost, over, v}
		}
	}
	switch o.State {
	case board.Faulted:
		hear(&o.Line, o.FaultedBy)
	case board.Standby, board.Paused, board.Stopped:
	default:
		hear(&o.Line, "")
		for i := range o.Workers {
			hear(&o.Workers[i].Line, o.Workers[i].Name)
		}
	}
	return worst
}

// limit is how long a processor may be lost.
func (w wedged) limit(bound time.Duration) time.Duration {
	if bound > math.MaxInt64/wedgedBounds {
		return math.MaxInt64
	}
	return max(w.after, wedgedBounds*bound, minWedged)
}

// policyOfSeen is the policy of the processor that the pass is at.
func (p *pass) policyOfSeen() *Policy { return p.monitor.policyOf(p.seen.Key) }
