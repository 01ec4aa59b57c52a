package liveness

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// hand is a clock that is moved by hand. It begins at Unix 0, so that zero is
// seen to be a legal time (X26).
type hand struct{ at atomic.Int64 }

func (h *hand) Now() time.Time      { return time.Unix(0, h.at.Load()) }
func (h *hand) set(d time.Duration) { h.at.Store(int64(d)) }
func (h *hand) add(d time.Duration) { h.at.Add(int64(d)) }

// rig is a board with a clock to move, and a monitor of it.
type rig struct {
	*testing.T
	clock *hand
	board *board.Board
	m     *Monitor
}

// newRig makes the monitor of an empty board; processors are registered with
// the rig.
func newRig(t *testing.T, opts ...Option) *rig {
	t.Helper()
	r := &rig{T: t, clock: new(hand)}
	r.board = board.New(board.WithClock(r.clock))
	m, err := NewMonitor(r.board, opts...)
	if err != nil {
		t.Fatal(err)
	}
	r.m = m
	return r
}

func (r *rig) register(id string, interval time.Duration) *board.Reporter {
	r.Helper()
	reporter, err := r.board.Register(board.Spec{ID: id, Interval: interval})
	if err != nil {
		r.Fatal(err)
	}
	return reporter
}

// want requires a reason of one processor, and returns what is known of it.
func (r *rig) want(key string, want Reason) Processor {
	r.Helper()
	v, ok := r.m.Processor(key)
	if !ok {
		r.Fatalf("at %v: %q is not on the board", r.board.Now(), key)
	}
	if v.Reason != want {
		r.Fatalf("at %v: %s is %v, want %v", r.board.Now(), key, v.Reason, want)
	}
	return v
}

// wantStatus requires the status of the whole board, as a tier would see it.
func (r *rig) wantStatus(want check.Status) check.Result {
	r.Helper()
	result := r.m.Check(context.Background())
	if result.Status != want {
		r.Fatalf("at %v: board is %v (%s), want %v", r.board.Now(), result.Status, result.Description, want)
	}
	return result
}

// beatUntil moves the clock on in steps and beats after each, the last time at
// until.
func (r *rig) beatUntil(until, step time.Duration, beat func()) {
	for r.board.Now()+step <= until {
		r.clock.add(step)
		beat()
	}
}

// judged is the processor that an observation and its verdict make.
func judged(p Policy, o board.Observation) Processor {
	v := p.Judge(o, Watch{})
	return processorOf(&o, &v)
}
