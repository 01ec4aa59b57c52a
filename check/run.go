package check

import (
	"context"
	"runtime/pprof"
	"sync/atomic"
	"time"

	"github.com/benbjohnson/clock"
)

// run is one call of a check. It is settled exactly once, with the check's
// answer or at its limit, and returns later, with the settling, or never.
type run struct {
	owner   *Runner
	number  uint64 // counts the owner's runs
	parent  *run   // the run whose check started this one, or nil
	started time.Time
	inner   time.Time // when the run began that a Runner below answered from
	timer   *clock.Timer
	cancel  context.CancelCauseFunc

	settled  chan struct{} // closed when sample may be read
	sample   Sample        // written before settled is closed, never after; ages count from its Started
	returned atomic.Bool
	hung     bool // counted in owner.hung; guarded by owner.mu
}

// within tells whether x is a run of r, or was started inside one.
func (x *run) within(r *Runner) bool {
	for ; x != nil; x = x.parent {
		if x.owner == r && !x.returned.Load() {
			return true
		}
	}
	return false
}

// isSettled tells whether the sample may be read.
func (x *run) isSettled() bool {
	select {
	case <-x.settled:
		return true
	default:
		return false
	}
}

// launch starts the check in a goroutine of its own, with the limit's timer
// set before it.
func (x *run) launch(parent *run) {
	r := x.owner
	x.parent = parent
	ctx, cancel := context.WithCancelCause(r.detached)
	x.cancel = cancel
	x.timer = r.clock.AfterFunc(r.sampling.Limit, x.expire)
	handed := &runContext{ctx, time.Now().Add(r.sampling.Limit), x}
	go func() {
		pprof.SetGoroutineLabels(handed)
		contained(handed, x.checker(), x.finish)
	}()
}

// checker is what the run asks. A Runner is asked for its sample: what it has kept
// is as old here as it is there (R2).
func (x *run) checker() Checker {
	below, ok := x.owner.checker.(*Runner)
	if !ok {
		return x.owner.checker
	}
	return Func(func(ctx context.Context) Result {
		s := below.Sample(ctx)
		if s.Age > 0 && s.Outcome != Timeout {
			x.inner = x.owner.clock.Now().Add(-s.Age)
		}
		return s.Result
	})
}

// observed is when what the run answers was looked at: its own start, or the one
// of a run below.
func (x *run) observed() time.Time {
	if !x.inner.IsZero() && x.inner.Before(x.started) {
		return x.inner
	}
	return x.started
}

// expire is called by the timer at the limit.
func (x *run) expire() {
	x.owner.expired(x)
	x.cancel(context.DeadlineExceeded)
}

// finish is called by the check's goroutine, exactly once.
func (x *run) finish(result Result, outcome Outcome) {
	x.timer.Stop()
	x.cancel(nil)
	x.owner.finished(x, result, outcome)
}

// expired settles x as timed out, unless it was quicker, and counts it as
// hung until it returns.
func (r *Runner) expired(x *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x.isSettled() {
		return
	}
	x.hung = true
	r.hung++
	r.settle(x, r.timedOut(x.started, r.sampling.Limit))
}

// finished settles x with its answer, unless that comes too late: what is
// returned at the limit or after it is dropped, also when the timer is itself
// late, so that no answer depends on which of the two was scheduled first.
func (r *Runner) finished(x *run, result Result, outcome Outcome) {
	took := max(0, r.clock.Now().Sub(x.started))
	r.mu.Lock()
	defer r.mu.Unlock()
	x.returned.Store(true)
	if took >= r.sampling.Limit {
		r.events.LateAnswers++
	}
	if !x.isSettled() {
		if took < r.sampling.Limit {
			r.settle(x, r.answered(x, took, result, outcome))
		} else {
			r.settle(x, r.timedOut(x.started, took))
		}
	}
	r.inFlight--
	if x.hung {
		r.hung--
	}
	if r.current == x {
		r.current = nil
	}
	if r.abandoned == x {
		r.abandoned = nil
	}
}

// settle publishes the sample of x to those who wait for it, and to the
// hooks. The caller holds r.mu; an outlet only queues.
func (r *Runner) settle(x *run, s Sample) {
	x.sample = s
	close(x.settled)
	if r.newest == nil || x.number > r.newest.number {
		if r.newest != nil && r.newest.sample.Result.Status != s.Result.Status {
			r.events.Transitions++
		}
		r.newest = x
	}
	for _, o := range r.outlets {
		o.put(s)
	}
}

func (r *Runner) answered(x *run, took time.Duration, result Result, outcome Outcome) Sample {
	// A panic never reaches a Description, and a failure without words gets
	// the word of its class.
	if outcome == Panic || outcome == Failed && result.Description == "" {
		result.Description = outcome.String()
	}
	started := x.observed()
	return Sample{
		Name: r.name, Result: result, Outcome: outcome,
		Started: started, Duration: took, Age: took + x.started.Sub(started),
	}
}

func (r *Runner) timedOut(started time.Time, took time.Duration) Sample {
	return Sample{
		Name:     r.name,
		Result:   Result{Description: Timeout.String(), Err: r.errTimeout},
		Outcome:  Timeout,
		Started:  started,
		Duration: took,
	}
}
