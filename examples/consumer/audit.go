package main

import (
	"context"
	"sync/atomic"

	"github.com/loopvitals/loopvitals/board"
)

// audit checks every order once, on one replica at a time: the one that holds
// the lease. Every other replica is on standby, which is a healthy state of any
// age, so losing the lease alarms nobody.
type audit struct {
	lease *lease
	loop  puller
}

// run reports Standby before it waits for the lease and Resume once it has it.
// r may be nil: the same code then runs unwatched.
func (a *audit) run(ctx context.Context, r *board.Reporter) error {
	for ctx.Err() == nil {
		r.Standby()
		err := a.lease.hold(ctx, func(term context.Context) error {
			r.Resume()
			return a.loop.run(term, r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// IsActive makes the audit a tiers.Gate: what only the lease holder may do is
// refused by every other replica.
func (a *audit) IsActive() bool { return a.lease.held() }

// auditor is the unit of work: it counts what it has seen.
type auditor struct {
	seen, odd atomic.Uint64
}

func (a *auditor) check(_ context.Context, m message) error {
	a.seen.Add(1)
	if m.Order.Cents <= 0 {
		a.odd.Add(1)
	}
	return nil
}
