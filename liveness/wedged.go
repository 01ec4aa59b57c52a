package liveness

import (
	"context"
	"math"
	"strconv"
	"time"

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
// processor has been faulted, stale or stuck for longer, strictly, than
// max(after, 10 x its bound, 60 s). Zero is a legal after. A restart is a heavy
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
	var longest time.Duration
	var count int
	var worst Verdict
	for s := p.sweep(); s.Next(); {
		if p.well(s.Running()) || !p.judge(&s) {
			continue
		}
		lost, bound := p.lost()
		if lost <= w.limit(bound) {
			continue
		}
		if count++; lost > longest {
			longest, worst = lost, p.verdict
		}
	}
	if count == 0 {
		return check.Result{Status: check.Healthy, Description: "no processor is wedged"}
	}
	text := worst.Text()
	if count > 1 {
		text += ", and " + strconv.Itoa(count-1) + " more"
	}
	if p.watch.Late {
		return check.Result{Status: check.Degraded, Description: "the observer is late: " + text}
	}
	return check.Result{Status: check.Unhealthy, Description: text}
}

// limit is how long a processor may be lost.
func (w wedged) limit(bound time.Duration) time.Duration {
	if bound > math.MaxInt64/wedgedBounds {
		return math.MaxInt64
	}
	return max(w.after, wedgedBounds*bound, minWedged)
}

// lost is how long the pass's processor has been faulted, stale or stuck, as far
// as the observer can vouch for it, and the bound that it is measured by. It is
// -1 when it is none of them.
func (p *pass) lost() (lost, bound time.Duration) {
	v := &p.verdict
	if v.Status != check.Unhealthy {
		return -1, 0
	}
	switch v.Reason {
	case Faulted:
		return p.watch.heard(v.Age), p.policyOfSeen().staleAfter(p.seen.Interval)
	case Stale, Stuck:
		return p.watch.heard(v.silence()) - v.Bound, v.Bound
	}
	return -1, 0
}

// policyOfSeen is the policy of the processor that the pass is at.
func (p *pass) policyOfSeen() *Policy { return p.monitor.policyOf(p.seen.Key) }
