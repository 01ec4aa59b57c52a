package reading

import (
	"math"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
)

// TestFactsSaturate: no number wraps on its way out.
func TestFactsSaturate(t *testing.T) {
	o := board.Observation{Starts: math.MaxUint64, Faults: math.MaxInt64}
	o.Beats = 1 << 63
	for _, lag := range []int64{math.MaxInt64, 1, math.MaxInt64} {
		o.Workers = append(o.Workers, board.WorkerLine{Line: board.Line{Lag: lag, LagKnown: true}})
	}
	f := factsOf(&o, &liveness.Verdict{Status: check.Status(99)}, liveness.Policy{})
	for name, got := range map[string]int64{"beats": f.Beats, "starts": f.Starts, "faults": f.Faults, "lag": f.Lag} {
		if got != math.MaxInt64 {
			t.Errorf("%s %d, want %d", name, got, int64(math.MaxInt64))
		}
	}
	if f.Status != check.Unhealthy {
		t.Errorf("a status that is none is %v", f.Status)
	}
}

// TestFactsOfWorkers: the own line's lag goes before the workers'.
func TestFactsOfWorkers(t *testing.T) {
	worker := func(lag int64, known bool) board.WorkerLine {
		return board.WorkerLine{Line: board.Line{Lag: lag, LagKnown: known}}
	}
	cases := []struct {
		name    string
		own     board.Line
		workers []board.WorkerLine
		lag     int64
		known   bool
	}{
		{"nobody knows", board.Line{}, []board.WorkerLine{worker(0, false)}, 0, false},
		{"one of two knows", board.Line{}, []board.WorkerLine{worker(0, false), worker(7, true)}, 7, true},
		{"both know", board.Line{}, []board.WorkerLine{worker(5, true), worker(7, true)}, 12, true},
		{"the own line knows", board.Line{Lag: 1, LagKnown: true}, []board.WorkerLine{worker(5, true)}, 1, true},
		{"the own line knows zero", board.Line{LagKnown: true}, []board.WorkerLine{worker(5, true)}, 0, true},
	}
	for _, c := range cases {
		f := factsOf(&board.Observation{Line: c.own, Workers: c.workers}, &liveness.Verdict{}, liveness.Policy{})
		if f.Lag != c.lag || f.LagKnown != c.known {
			t.Errorf("%s: lag %d, known %v; want %d, %v", c.name, f.Lag, f.LagKnown, c.lag, c.known)
		}
	}
}

// TestFactsOfTheOldestUnit: of several units of work the oldest is told.
func TestFactsOfTheOldestUnit(t *testing.T) {
	busy := func(age time.Duration) board.Line { return board.Line{State: board.Busy, Age: age} }
	for _, ages := range [][3]time.Duration{{3, 2, 1}, {1, 3, 2}, {1, 2, 3}} {
		o := board.Observation{Line: busy(ages[0]), Workers: []board.WorkerLine{{Line: busy(ages[1])}, {Line: busy(ages[2])}}}
		if f := factsOf(&o, &liveness.Verdict{}, liveness.Policy{}); !f.Working || f.Busy != 3 {
			t.Errorf("units of %v: busy %v (there: %v), want the oldest", ages, f.Busy, f.Working)
		}
	}
}
