package liveness

import (
	"math"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// pool is a processor with workers w0, w1, …
func pool(own board.Line, workers ...board.Line) board.Observation {
	o := board.Observation{Key: "billing", Interval: 250 * ms, Line: own}
	for i, l := range workers {
		o.Workers = append(o.Workers, board.WorkerLine{Name: "w" + string(rune('0'+i)), Line: l})
	}
	return o
}

// TestPoolTable: a processor is as well as the worst of its lines.
func TestPoolTable(t *testing.T) {
	var (
		silent  = line(board.Unreported, time.Hour)
		running = line(board.Running, second)
		stale   = line(board.Running, 6*second)
		busy    = line(board.Busy, 2*second)
		stuck   = line(board.Busy, 7*second)
		idle    = line(board.Idle, time.Hour)
		standby = line(board.Standby, time.Hour)
	)
	tests := []struct {
		name   string
		seen   board.Observation
		policy Policy
		reason Reason
		worker string
		age    time.Duration
		busy   time.Duration
	}{
		{"own line alone reported", pool(running, silent, silent), Policy{}, Running, "", second, 0},
		{"workers alone reported", pool(silent, running, busy), Policy{}, Running, "", second, 2 * second},
		{"nobody reported", pool(silent, silent, silent), Policy{}, Unreported, "", time.Hour, 0},
		{"nobody reported in time", pool(silent, silent), Policy{StartWithin: time.Minute}, NeverStarted, "", time.Hour, 0},
		{"one worker never started", pool(silent, running, silent), Policy{StartWithin: time.Minute}, NeverStarted, "w1", second, 0},
		{"one worker never started, nor need it", pool(silent, running, silent), Policy{}, Running, "", second, 0},
		{"one worker may still start", pool(silent, running, silent), Policy{StartWithin: time.Hour}, Running, "", second, 0},
		{"the only worker never started", pool(running, silent), Policy{StartWithin: time.Minute}, NeverStarted, "w0", second, 0},
		{"a worker never started, one is stuck", pool(silent, silent, stuck), Policy{StartWithin: time.Minute}, NeverStarted, "w0", time.Hour, 7 * second},
		{"a worker never started on standby", pool(standby, silent), Policy{StartWithin: time.Minute}, Standby, "", time.Hour, 0},
		{"a worker stands still, another beat longer ago", pool(silent, at(withLag(running, 1), time.Hour), line(board.Running, 4*second)), Policy{StalledAfter: time.Minute}, Stalled, "w0", 4 * second, 0},
		{"one worker stuck", pool(silent, running, stuck), Policy{}, Stuck, "w1", second, 7 * second},
		{"one worker stale", pool(running, stale, busy), Policy{}, Stale, "w0", 6 * second, 2 * second},
		{"own line stale", pool(stale, running), Policy{}, Stale, "", 6 * second, 0},
		{"stuck wins over stale", pool(stale, stuck), Policy{}, Stuck, "w0", 6 * second, 7 * second},
		{"the oldest of two stale ones", pool(silent, stale, line(board.Running, 8*second), stale), Policy{}, Stale, "w1", 8 * second, 0},
		{"the one furthest past its limit", pool(silent, busyFor(20*second, 21*second), stuck), Policy{}, Stuck, "w1", 7 * second, 7 * second},
		{"age is the oldest that must beat", pool(running, line(board.Running, 4*second), idle, busy), Policy{}, Running, "", 4 * second, 2 * second},
		{"all idle", pool(silent, idle, idle), Policy{}, Idle, "", time.Hour, 0},
		{"one works while others wait", pool(silent, idle, busy, standby), Policy{}, Idle, "", time.Hour, 2 * second},
		{"own standby, workers silent", pool(standby, stale, stuck), Policy{}, Standby, "", time.Hour, 0},
		{"own paused, workers silent", pool(line(board.Paused, 0), stuck), Policy{}, Paused, "", 0, 0},
		{"own stopped, workers silent", pool(line(board.Stopped, 0), stale), Policy{}, Stopped, "", 0, 0},
		{"a worker on standby", pool(running, standby), Policy{}, Running, "", second, 0},
		{"a faulted worker", pool(running, line(board.Faulted, second)), Policy{}, Faulted, "w0", second, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := test.policy.Judge(test.seen, Watch{})
			if v.Reason != test.reason || v.Worker != test.worker || v.Age != test.age || v.Busy != test.busy {
				t.Errorf("verdict = %v worker %q age %v busy %v, want %v %q %v %v",
					v.Reason, v.Worker, v.Age, v.Busy, test.reason, test.worker, test.age, test.busy)
			}
			if v.Status != test.reason.status() {
				t.Errorf("status = %v", v.Status)
			}
		})
	}
}

// TestPoolFault: the processor's line says who faulted, whatever the others say.
func TestPoolFault(t *testing.T) {
	o := pool(line(board.Faulted, 3*second), line(board.Running, time.Hour), line(board.Busy, time.Hour))
	o.FaultedBy = "w7" // it may have been dismissed since
	v := Policy{}.Judge(o, Watch{})
	if v.Reason != Faulted || v.Worker != "w7" || v.Age != 3*second {
		t.Errorf("verdict = %+v", v)
	}
}

// TestPoolLag: the own line's lag, or else the sum of the workers'.
func TestPoolLag(t *testing.T) {
	running := line(board.Running, 0)
	aged := func(lag int64, age time.Duration) board.Line {
		l := withLag(running, lag)
		l.LagAge = age
		return l
	}
	tests := []struct {
		name  string
		seen  board.Observation
		known bool
		lag   int64
		age   time.Duration
	}{
		{"none", pool(running, running), false, 0, 0},
		{"own", pool(aged(3, second), aged(10, time.Hour)), true, 3, second},
		{"own of zero", pool(aged(0, second), aged(10, time.Hour)), true, 0, second},
		{"sum", pool(running, aged(10, second), running, aged(20, 3*second)), true, 30, 3 * second},
		{"sum saturates", pool(running, aged(math.MaxInt64, 0), aged(1, 0)), true, math.MaxInt64, 0},
		{"sum of a faulted pool", pool(line(board.Faulted, 0), aged(10, second), aged(20, 0)), true, 30, second},
		{"sum of a pool on standby", pool(line(board.Standby, 0), aged(10, second)), true, 10, second},
	}
	for _, test := range tests {
		v := judged(Policy{}, test.seen)
		if v.LagKnown != test.known || v.Lag != test.lag || v.LagAge != test.age {
			t.Errorf("%s: lag %d known %v age %v, want %d %v %v", test.name, v.Lag, v.LagKnown, v.LagAge, test.lag, test.known, test.age)
		}
	}
}

// TestPoolLagRules: lag is judged for the pool as a whole, and what stands still
// or starves for the line that does.
func TestPoolLagRules(t *testing.T) {
	var (
		silent = line(board.Unreported, 0)
		idle   = line(board.Idle, 6*second)
		fresh  = line(board.Idle, second)
		busy   = line(board.Busy, 0)
		p      = Policy{DegradedLag: 10, StalledAfter: time.Minute}
	)
	tests := []struct {
		name   string
		seen   board.Observation
		reason Reason
		worker string
	}{
		{"sum past the bound", pool(silent, withLag(busy, 6), withLag(busy, 6)), Lagging, ""},
		{"sum at the bound", pool(silent, withLag(busy, 5), withLag(busy, 5)), Busy, ""},
		{"own lag past the bound", pool(withLag(silent, 11), busy), Lagging, ""},
		{"own lag, all workers wait", pool(withLag(silent, 1), idle, idle), Starved, ""},
		{"own lag, a worker began to wait just now", pool(withLag(silent, 1), idle, fresh), Idle, ""},
		{"own lag, a worker works", pool(withLag(silent, 1), idle, busy), Idle, ""},
		{"a worker waits with lag of its own", pool(silent, busy, withLag(idle, 1)), Starved, "w1"},
		{"own position stands still", pool(at(withLag(silent, 1), time.Hour), busy), Stalled, ""},
		{"own position stands still, workers' lag", pool(at(silent, time.Hour), withLag(busy, 1)), Busy, ""},
		{"a worker's position stands still", pool(silent, busy, at(withLag(busy, 1), time.Hour)), Stalled, "w1"},
		{"a worker's position stands still without lag", pool(silent, withLag(busy, 1), at(busy, time.Hour)), Busy, ""},
	}
	for _, test := range tests {
		if v := p.Judge(test.seen, Watch{}); v.Reason != test.reason || v.Worker != test.worker {
			t.Errorf("%s: verdict = %v %q, want %v %q", test.name, v.Reason, v.Worker, test.reason, test.worker)
		}
	}
}

// TestPoolOnABoard: the same through real reporters: one stuck worker shows as
// the processor being stuck, and another's beats do not cover it.
func TestPoolOnABoard(t *testing.T) {
	r := newRig(t)
	billing := r.register("billing", 250*ms)
	one, err := billing.Worker("one")
	if err != nil {
		t.Fatal(err)
	}
	two, err := billing.Worker("two")
	if err != nil {
		t.Fatal(err)
	}
	two.Busy()
	r.beatUntil(5*second, 250*ms, one.Beat)
	r.want("billing", Running)
	r.beatUntil(5*second+250*ms, 250*ms, one.Beat)
	if v := r.want("billing", Stuck); v.Worker != "two" || v.Busy != 5*second+250*ms {
		t.Errorf("verdict = %+v", v)
	}
	two.Done()
	r.want("billing", Running)
	one.Close()
	two.Fault(nil)
	if v := r.want("billing", Faulted); v.Worker != "two" || v.Status != check.Unhealthy {
		t.Errorf("verdict = %+v", v)
	}
}
