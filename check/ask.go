package check

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// maxEvaluations bounds the evaluations of one Instant check at the same
// time, against one that blocks or that asks itself.
const maxEvaluations = 1024

// expiredText is the Description of a result past its maximum age.
const expiredText = "no recent result"

var errDependsOnItself = errors.New("check: the check waits for its own answer")

// ask answers the caller at once, or returns the run to wait for. With fresh
// set no result is reused.
func (r *Runner) ask(ctx context.Context, fresh bool) (Sample, *run) {
	// The clock and the caller's context are code of others, so they are
	// asked before the lock is taken.
	now, gone := r.clock.Now(), ctx.Err() != nil
	recursive := r.instant && runOf(ctx).within(r)

	r.mu.Lock()
	if x, _ := r.reusable(now); x != nil && !fresh {
		r.mu.Unlock()
		return r.aged(x, now), nil
	}
	if x := r.occupant(now); x != nil {
		r.mu.Unlock()
		return r.join(ctx, x, now)
	}
	switch {
	case recursive:
		r.mu.Unlock()
		return r.dependsOnItself(now), nil
	case r.instant && r.hung > 0:
		r.mu.Unlock()
		return r.timedOut(now, 0), nil
	case gone:
		r.mu.Unlock()
		return r.gaveUp(ctx, now), nil
	}
	x := r.enlist(now)
	r.mu.Unlock()

	x.launch(runOf(ctx))
	return Sample{}, x
}

// reuse returns the run whose result answers this caller, too, and how long ago
// it started; or nil.
func (r *Runner) reuse(now time.Time) (*run, time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reusable(now)
}

// reusable is reuse for those who hold the lock. A timeout answers nobody else:
// while the run is hung it is said anew, and once the run has returned the next
// caller must see whether the dependency is back.
func (r *Runner) reusable(now time.Time) (*run, time.Duration) {
	if r.instant || r.sampling.NoReuse || r.newest == nil || r.newest.sample.Outcome == Timeout {
		return nil, 0
	}
	// A run that started after now was read gives a small negative age; a
	// large one is a clock that was set back, which must not prolong reuse.
	since := now.Sub(r.newest.sample.Started)
	if since < -r.sampling.Reuse || since > r.sampling.Reuse {
		return nil, 0
	}
	return r.newest, since
}

// occupant returns the run that the caller has to share, or nil when one may
// be started. It is where a hung run is given up, one at a time.
func (r *Runner) occupant(now time.Time) *run {
	x := r.current
	if x == nil || r.instant && r.inFlight < maxEvaluations {
		return nil
	}
	abandonAfter := r.sampling.AbandonAfter
	if r.instant || abandonAfter == 0 || r.abandoned != nil || now.Sub(x.started) < abandonAfter {
		return x
	}
	r.abandoned, r.current = x, nil
	return nil
}

// enlist makes a run that others find from now on.
func (r *Runner) enlist(now time.Time) *run {
	r.events.Runs++
	r.inFlight++
	x := &run{owner: r, number: r.events.Runs, started: now, settled: make(chan struct{})}
	r.current = x
	return x
}

// join has the caller wait for x, or answers at once: past the limit nobody
// waits for a hung run again, and a run cannot wait for itself.
func (r *Runner) join(ctx context.Context, x *run, now time.Time) (Sample, *run) {
	if took := now.Sub(x.started); took >= r.sampling.Limit {
		return r.timedOut(x.started, took), nil
	}
	if runOf(ctx).within(r) {
		return r.dependsOnItself(now), nil
	}
	return Sample{}, x
}

// await returns the sample of x, or the caller's own Unhealthy when its
// context ends first. The run goes on for the others (S1.15).
func (r *Runner) await(ctx context.Context, x *run) Sample {
	select {
	case <-x.settled:
	case <-ctx.Done():
		if !x.isSettled() {
			return r.gaveUp(ctx, x.started)
		}
	}
	return r.aged(x, r.clock.Now())
}

// aged returns the sample of a settled run as it is to be believed now. The
// age is tested here, when the answer is given, and not when it was stored.
func (r *Runner) aged(x *run, now time.Time) (s Sample) {
	r.age(&s, x, now.Sub(x.sample.Started))
	return s
}

// age is aged into s, since the run's start was so long ago: a Sample is large,
// and a tier of many checks looks at many.
func (r *Runner) age(s *Sample, x *run, since time.Duration) {
	*s, since = x.sample, max(0, since)
	if s.Outcome == Timeout && !x.returned.Load() {
		s.Duration, s.Age = since, 0
		return
	}
	s.Age = since
	if since > r.sampling.MaxAge {
		s.Expired = true
		s.Result = Result{Description: expiredText, Err: fmt.Errorf("check: the newest result is %v old, more than %v", since, r.sampling.MaxAge)}
	}
}

// gaveUp is the answer for one caller whose context ended; it is not stored.
func (r *Runner) gaveUp(ctx context.Context, started time.Time) Sample {
	s := r.timedOut(started, max(0, r.clock.Now().Sub(started)))
	s.Result.Err = fmt.Errorf("check: the caller gave up: %w", context.Cause(ctx))
	return s
}

func (r *Runner) dependsOnItself(now time.Time) Sample {
	return r.answered(&run{started: now}, 0, Result{Err: errDependsOnItself}, Failed)
}
