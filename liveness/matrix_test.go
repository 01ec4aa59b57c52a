package liveness

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// Rows 1 to 5 of the fault matrix, in virtual time; rows 11, 12 and 15 are in
// clock_test.go, row 6 in freeze_test.go.

// TestFaultShowsAtTheNextRead is row 1: at once, for good, by name.
func TestFaultShowsAtTheNextRead(t *testing.T) {
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 1))
		r := newRig(t)
		p := r.register("P", 250*ms)
		for range random.IntN(20) {
			r.clock.add(time.Duration(random.Int64N(int64(10 * second))))
			p.Beat()
		}
		p.Fault(nil)
		if got := r.wantStatus(check.Unhealthy).Description; got != "Processor 'P' faulted and stopped" {
			t.Fatalf("seed %d: %s", seed, got)
		}
		for range random.IntN(20) {
			r.clock.add(time.Duration(random.Int64N(int64(10 * second))))
			p.Beat()
			r.want("P", Faulted)
		}
	}
}

// TestWedgeIsFoundInTime is row 2: between the bound and one probe later, and
// never before, whatever the phases of loop and probe and the place of the wedge.
func TestWedgeIsFoundInTime(t *testing.T) {
	seeds := uint64(2000)
	if soak {
		seeds = 100_000
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 2))
		interval := time.Duration(1 + random.Int64N(int64(20*second)))
		probe := time.Duration(1 + random.Int64N(int64(2*second)))
		r := newRig(t)
		p := r.register("P", interval)
		for range random.IntN(50) {
			r.clock.add(interval/2 + time.Duration(random.Int64N(int64(interval))))
			p.Beat()
		}
		limit := Policy{}.Resolve(interval).StaleAfter
		bad := Stale
		if random.IntN(2) == 0 {
			p.Busy()
			bad = Stuck
		} else {
			p.Beat()
		}
		wedged := r.board.Now()
		r.clock.add(limit - min(limit, time.Duration(random.Int64N(int64(probe))))) // the probe's phase
		for {
			v, _ := r.m.Verdict("P")
			silent := r.board.Now() - wedged
			if v.Reason == bad && silent <= limit {
				t.Fatalf("seed %d: found after %v, the bound is %v", seed, silent, limit)
			}
			if v.Reason == bad && silent > limit+probe {
				t.Fatalf("seed %d: found after %v, the bound is %v and the probe's interval %v", seed, silent, limit, probe)
			}
			if v.Reason == bad {
				break
			}
			r.clock.add(probe)
		}
	}
}

// TestSlowLoopIsNoWedge is row 3: a loop that always comes round within its
// bound is never Unhealthy.
func TestSlowLoopIsNoWedge(t *testing.T) {
	hours := 200
	if soak {
		hours = 100_000
	}
	random := rand.New(rand.NewPCG(5, 6))
	r := newRig(t)
	p := r.register("P", 250*ms)
	p.Beat()
	for r.board.Now() < time.Duration(hours)*time.Hour {
		switch random.IntN(4) {
		case 0:
			p.Busy()
		case 1:
			p.Done()
		default:
			p.Beat()
		}
		for slept := time.Duration(0); slept < 4*second; {
			step := min(time.Duration(random.Int64N(int64(5*second))), bound-slept)
			slept += step
			r.clock.add(step)
			if v, _ := r.m.Verdict("P"); v.Status != check.Healthy {
				t.Fatalf("at %v: %s", r.board.Now(), v.Text())
			}
		}
	}
}

// TestNeverStarted is row 4: exact at the boundary, anew after a restart, and a
// declared standby is none.
func TestNeverStarted(t *testing.T) {
	r := newRig(t, WithPolicy(Policy{StartWithin: 30 * second}))
	p, q := r.register("P", 0), r.register("Q", 0)
	q.Standby()
	r.clock.set(30 * second)
	r.want("P", Unreported)
	r.clock.add(1)
	if v := r.want("P", NeverStarted); v.Status != check.Unhealthy || v.Bound != 30*second {
		t.Errorf("verdict = %+v", v)
	}
	r.want("Q", Standby)
	p = p.Restart()
	r.clock.add(30 * second)
	r.want("P", Unreported)
	r.clock.add(1)
	r.want("P", NeverStarted)
	p.SetLag(3) // is no report
	r.want("P", NeverStarted)
	p.Beat()
	r.want("P", Running)
}

// TestFaultBeforeTheFirstBeat is row 5, and X5.
func TestFaultBeforeTheFirstBeat(t *testing.T) {
	r := newRig(t)
	r.register("P", 0).Fault(nil)
	r.want("P", Faulted)
	r.wantStatus(check.Unhealthy)
	if o, _ := r.board.Get("P"); o.Beats != 0 || o.State != board.Faulted {
		t.Errorf("observation = %+v", o)
	}
}
