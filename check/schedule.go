package check

import (
	"context"
	"math/rand/v2"
)

// Run takes a sample at every interval of the schedule until ctx ends, and
// then returns nil; without a schedule it returns ErrNoSchedule at once. The
// first sample comes after a random part of the interval, so that the checks
// of a process, and of all its replicas, do not call a shared dependency in
// step. A tick that finds a run in flight starts no other.
//
// Run is for exporters, or for probes when Reuse reaches over the interval:
// Check works without it. When it returns, the run it started last has ended
// or reached its limit and the hooks have had its sample; only what is hung
// lives on. That can take two limits after the end of ctx. A nil ctx never
// ends.
func (r *Runner) Run(ctx context.Context) error {
	if r == nil || r.sampling.Every == 0 {
		return ErrNoSchedule
	}
	if ctx == nil {
		ctx = context.Background() //nolint:forbidigo // nil is a caller with no limit of its own
	}
	start := r.clock.Timer(rand.N(r.sampling.Every))
	defer start.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-start.C:
	}
	tick := r.clock.Ticker(r.sampling.Every)
	defer tick.Stop()
	for {
		_, x := r.ask(ctx, true)
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.wind(x)
			return nil
		}
	}
}

// wind waits for what the schedule set going.
func (r *Runner) wind(x *run) {
	if x != nil {
		<-x.settled // at its limit at the latest
	}
	limit := r.clock.Timer(r.sampling.Limit)
	defer limit.Stop()
	for _, o := range r.outlets {
		idle := o.working()
		if idle == nil {
			continue
		}
		select {
		case <-idle:
		case <-limit.C:
			return
		}
	}
}
