package liveness

import (
	"math"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

const (
	second = time.Second
	ms     = time.Millisecond
	bound  = 5 * time.Second // the default StaleAfter of most loops
)

// line is a line in a state for so long.
func line(s board.State, age time.Duration) board.Line { return board.Line{State: s, Age: age} }

// withLag gives a line a lag.
func withLag(l board.Line, lag int64) board.Line {
	l.Lag, l.LagKnown = lag, true
	return l
}

// at gives a line a position that has not changed for so long.
func at(l board.Line, unchanged time.Duration) board.Line {
	l.Position, l.PositionKnown, l.PositionAge = 7, true, unchanged
	return l
}

// busyFor is a unit with a limit of its own.
func busyFor(limit, age time.Duration) board.Line {
	return board.Line{State: board.Busy, Age: age, Limit: limit}
}

// TestVerdictTable is the table of verdicts, in the order of the specification.
func TestVerdictTable(t *testing.T) {
	late := Watch{Now: time.Hour, Late: true}
	tests := []struct {
		name   string
		line   board.Line
		policy Policy
		watch  Watch
		reason Reason
		status check.Status
	}{
		{"S5.13 not reported: skipped", line(board.Unreported, time.Hour), Policy{}, Watch{}, Unreported, check.Healthy},
		{"X4 not reported, start limit not passed", line(board.Unreported, 30*second), Policy{StartWithin: 30 * second}, Watch{}, Unreported, check.Healthy},
		{"X4 not reported, start limit passed", line(board.Unreported, 30*second+1), Policy{StartWithin: 30 * second}, Watch{}, NeverStarted, check.Unhealthy},
		{"S5.14 faulted", line(board.Faulted, 0), Policy{}, Watch{}, Faulted, check.Unhealthy},
		{"S5.15 last beat at the bound", line(board.Running, bound), Policy{}, Watch{}, Running, check.Healthy},
		{"S5.15 last beat past the bound", line(board.Running, bound+1), Policy{}, Watch{}, Stale, check.Unhealthy},
		{"S5.16 lag at the bound", withLag(line(board.Running, 0), 10), Policy{DegradedLag: 10}, Watch{}, Running, check.Healthy},
		{"S5.16 lag past the bound", withLag(line(board.Running, 0), 11), Policy{DegradedLag: 10}, Watch{}, Lagging, check.Degraded},
		{"S5.22 lag bound off", withLag(line(board.Running, 0), math.MaxInt64), Policy{}, Watch{}, Running, check.Healthy},
		{"S5.17 fault wins over staleness", withLag(line(board.Faulted, time.Hour), 11), Policy{DegradedLag: 10}, Watch{}, Faulted, check.Unhealthy},
		{"S5.17 staleness wins over lag", withLag(line(board.Running, bound+1), 11), Policy{DegradedLag: 10}, Watch{}, Stale, check.Unhealthy},

		{"idle at any age", line(board.Idle, 1000*time.Hour), Policy{}, Watch{}, Idle, check.Healthy},
		{"idle with lag at the bound", withLag(line(board.Idle, bound), 1), Policy{}, Watch{}, Idle, check.Healthy},
		{"idle with lag past the bound", withLag(line(board.Idle, bound+1), 1), Policy{}, Watch{}, Starved, check.Degraded},
		{"idle with no lag past the bound", withLag(line(board.Idle, bound+1), 0), Policy{}, Watch{}, Idle, check.Healthy},
		{"starved wins over lagging", withLag(line(board.Idle, bound+1), 11), Policy{DegradedLag: 10}, Watch{}, Starved, check.Degraded},
		{"idle and lagging", withLag(line(board.Idle, 0), 11), Policy{DegradedLag: 10}, Watch{}, Lagging, check.Degraded},

		{"busy at the default limit", line(board.Busy, bound), Policy{}, Watch{}, Busy, check.Healthy},
		{"busy past the default limit", line(board.Busy, bound+1), Policy{}, Watch{}, Stuck, check.Unhealthy},
		{"busy at the policy's limit", line(board.Busy, second), Policy{BusyLimit: second}, Watch{}, Busy, check.Healthy},
		{"busy past the policy's limit", line(board.Busy, second+1), Policy{BusyLimit: second}, Watch{}, Stuck, check.Unhealthy},
		{"busy at its own limit", busyFor(time.Hour, time.Hour), Policy{BusyLimit: second}, Watch{}, Busy, check.Healthy},
		{"busy past its own limit", busyFor(time.Hour, time.Hour+1), Policy{BusyLimit: second}, Watch{}, Stuck, check.Unhealthy},
		{"busy and lagging", withLag(line(board.Busy, 0), 11), Policy{DegradedLag: 10}, Watch{}, Lagging, check.Degraded},
		{"stuck wins over lagging", withLag(line(board.Busy, bound+1), 11), Policy{DegradedLag: 10}, Watch{}, Stuck, check.Unhealthy},

		{"standby at any age", withLag(line(board.Standby, 1000*time.Hour), 11), Policy{DegradedLag: 10}, Watch{}, Standby, check.Healthy},
		{"paused at any age", withLag(line(board.Paused, 1000*time.Hour), 11), Policy{DegradedLag: 10}, Watch{}, Paused, check.Healthy},
		{"stopped at any age", withLag(line(board.Stopped, 1000*time.Hour), 11), Policy{DegradedLag: 10}, Watch{}, Stopped, check.Healthy},
		{"not reported, with lag", withLag(line(board.Unreported, 0), 11), Policy{DegradedLag: 10}, Watch{}, Unreported, check.Healthy},

		{"position unchanged at the bound", at(withLag(line(board.Running, 0), 1), time.Minute), Policy{StalledAfter: time.Minute}, Watch{}, Running, check.Healthy},
		{"position unchanged past the bound", at(withLag(line(board.Running, 0), 1), time.Minute+1), Policy{StalledAfter: time.Minute}, Watch{}, Stalled, check.Degraded},
		{"position unchanged, no lag", at(withLag(line(board.Running, 0), 0), time.Hour), Policy{StalledAfter: time.Minute}, Watch{}, Running, check.Healthy},
		{"position unchanged, lag unknown", at(line(board.Running, 0), time.Hour), Policy{StalledAfter: time.Minute}, Watch{}, Running, check.Healthy},
		{"position unchanged, bound off", at(withLag(line(board.Running, 0), 1), time.Hour), Policy{}, Watch{}, Running, check.Healthy},
		{"stalled wins over starved", at(withLag(line(board.Idle, time.Hour), 1), time.Hour), Policy{StalledAfter: time.Minute}, Watch{}, Stalled, check.Degraded},
		{"stalled wins over lagging", at(withLag(line(board.Running, 0), 11), time.Hour), Policy{StalledAfter: time.Minute, DegradedLag: 10}, Watch{}, Stalled, check.Degraded},
		{"standby does not stall", at(withLag(line(board.Standby, 0), 11), time.Hour), Policy{StalledAfter: time.Minute}, Watch{}, Standby, check.Healthy},

		{"observer late, would be stale", line(board.Running, bound+1), Policy{}, late, ObserverLate, check.Degraded},
		{"observer late, would be stuck", line(board.Busy, bound+1), Policy{}, late, ObserverLate, check.Degraded},
		{"observer late, would be never started", line(board.Unreported, 31*second), Policy{StartWithin: 30 * second}, late, ObserverLate, check.Degraded},
		{"observer late, in time", line(board.Running, bound), Policy{}, late, Running, check.Healthy},
		{"observer late, faulted", line(board.Faulted, time.Hour), Policy{}, late, Faulted, check.Unhealthy},
		{"observer late, lagging", withLag(line(board.Running, 0), 11), Policy{DegradedLag: 10}, late, Lagging, check.Degraded},
		{"observer late wins over stalled", at(withLag(line(board.Running, bound+1), 1), time.Hour), Policy{StalledAfter: time.Minute}, late, ObserverLate, check.Degraded},

		{"a state that is none fails closed", line(board.State(8), 0), Policy{}, Watch{}, Faulted, check.Unhealthy},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := test.policy.Judge(board.Observation{Key: "orders", Interval: 250 * ms, Line: test.line}, test.watch)
			if v.Reason != test.reason || v.Status != test.status {
				t.Errorf("verdict = %v %v, want %v %v", v.Status, v.Reason, test.status, test.reason)
			}
			if v.State != test.line.State || v.Key != "orders" || v.Worker != "" {
				t.Errorf("verdict is about %q %v %q", v.Key, v.State, v.Worker)
			}
		})
	}
}

// TestRebuildTable: a rebuild is excused from lag and from nothing else
// (S5.17), unless the application can do without it (X9).
func TestRebuildTable(t *testing.T) {
	tests := []struct {
		name   string
		line   board.Line
		reason Reason
		usual  check.Status
		only   check.Status // with RebuildsDegradeOnly
	}{
		{"lagging", withLag(line(board.Running, 0), 11), Running, check.Healthy, check.Healthy},
		{"starved", withLag(line(board.Idle, time.Hour), 11), Starved, check.Degraded, check.Degraded},
		{"stalled", at(withLag(line(board.Running, 0), 11), time.Hour), Stalled, check.Degraded, check.Degraded},
		{"stale", line(board.Running, time.Hour), Stale, check.Unhealthy, check.Degraded},
		{"stuck", line(board.Busy, time.Hour), Stuck, check.Unhealthy, check.Degraded},
		{"never started", line(board.Unreported, time.Hour), NeverStarted, check.Unhealthy, check.Degraded},
		{"faulted", line(board.Faulted, 0), Faulted, check.Unhealthy, check.Degraded},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := board.Observation{Key: "orders::rebuild::2", Interval: 250 * ms, Line: test.line, Rebuild: true}
			p := Policy{DegradedLag: 10, StalledAfter: time.Minute, StartWithin: time.Minute}
			if v := p.Judge(o, Watch{}); v.Reason != test.reason || v.Status != test.usual {
				t.Errorf("verdict = %v %v, want %v %v", v.Status, v.Reason, test.usual, test.reason)
			}
			p.RebuildsDegradeOnly = true
			if v := p.Judge(o, Watch{}); v.Reason != test.reason || v.Status != test.only {
				t.Errorf("degrade only: verdict = %v %v, want %v %v", v.Status, v.Reason, test.only, test.reason)
			}
			// The option is about rebuilds: a live loop gets no slack from it.
			o.Rebuild = false
			if v := p.Judge(o, Watch{}); test.usual == check.Unhealthy && v.Status != check.Unhealthy {
				t.Errorf("live loop: verdict = %v, want Unhealthy", v.Status)
			}
		})
	}
}

// TestVerdictNumbers: what is measured, and against what.
func TestVerdictNumbers(t *testing.T) {
	p := Policy{StaleAfter: 10 * second, BusyLimit: 20 * second, StartWithin: 30 * second}
	tests := []struct {
		name             string
		line             board.Line
		age, bound, busy time.Duration
	}{
		{"running", line(board.Running, 3*second), 3 * second, 10 * second, 0},
		{"stale", line(board.Running, 13*second), 13 * second, 10 * second, 0},
		{"busy", line(board.Busy, 3*second), 3 * second, 20 * second, 3 * second},
		{"busy for", busyFor(40*second, 3*second), 3 * second, 40 * second, 3 * second},
		{"idle", line(board.Idle, 3*second), 3 * second, 0, 0},
		{"starved", withLag(line(board.Idle, 13*second), 1), 13 * second, 10 * second, 0},
		{"unreported", line(board.Unreported, 3*second), 3 * second, 30 * second, 0},
		{"standby", line(board.Standby, 3*second), 3 * second, 0, 0},
		{"faulted", line(board.Faulted, 3*second), 3 * second, 0, 0},
	}
	for _, test := range tests {
		v := judged(p, board.Observation{Key: "orders", Interval: 250 * ms, Line: test.line, Faults: 4})
		if v.Age != test.age || v.Bound != test.bound || v.Busy != test.busy || v.Faults != 4 {
			t.Errorf("%s: age %v bound %v busy %v faults %d, want %v %v %v 4",
				test.name, v.Age, v.Bound, v.Busy, v.Faults, test.age, test.bound, test.busy)
		}
	}
}

// TestLagStaysReadable: the verdict shows the last lag with its age, in every
// state (X6), and none where there is none.
func TestLagStaysReadable(t *testing.T) {
	for s := board.Unreported; s <= board.Faulted; s++ {
		l := withLag(line(s, time.Hour), 3)
		l.LagAge = 2 * time.Hour
		v := judged(Policy{}, board.Observation{Key: "orders", Line: l})
		if !v.LagKnown || v.Lag != 3 || v.LagAge != 2*time.Hour {
			t.Errorf("%v: lag %d known %v age %v, want 3 true 2h", s, v.Lag, v.LagKnown, v.LagAge)
		}
		v = judged(Policy{}, board.Observation{Key: "orders", Line: line(s, time.Hour)})
		if v.LagKnown || v.Lag != 0 || v.LagAge != 0 {
			t.Errorf("%v: lag %d known %v age %v, want none", s, v.Lag, v.LagKnown, v.LagAge)
		}
	}
}

// TestUnknownKeyIsUnreported: the zero Observation, which is that of an unknown
// key, is judged like a processor that has not reported.
func TestUnknownKeyIsUnreported(t *testing.T) {
	v := Policy{}.Judge(board.Observation{}, Watch{})
	if v.Reason != Unreported || v.Status != check.Healthy {
		t.Errorf("verdict = %v %v, want Healthy unreported", v.Status, v.Reason)
	}
}

// TestJudgeAllocatesNothing holds Judge to its cost.
func TestJudgeAllocatesNothing(t *testing.T) {
	o := board.Observation{Key: "billing", Line: line(board.Running, time.Hour), Workers: []board.WorkerLine{
		{Name: "one", Line: line(board.Busy, time.Hour)}, {Name: "two", Line: line(board.Running, 0)},
	}}
	w := Watch{Now: 3 * time.Hour, Resumes: []time.Duration{time.Hour}}
	var v Verdict
	if n := testing.AllocsPerRun(100, func() { v = Policy{}.Judge(o, w) }); n != 0 {
		t.Errorf("Judge allocates %v times", n)
	}
	if v.Reason != Stuck {
		t.Errorf("verdict = %v", v.Reason)
	}
}
