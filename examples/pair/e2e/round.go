//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

// round is one fault that was done once, and what came of it.
type round struct {
	owner *slot // who was active
	was   *life // the process that was
	hit   int64 // when the fault was done
	next  *life // the process that took over
	taken int64 // when it did

	failover time.Duration
	gap      time.Duration // from the last claim of the old process to the first of the new
	overlap  time.Duration
	rejoined *slot // who has come back
	youngest bool  // and is the youngest
	same     bool  // the active node is the one from before

	accepted, refused int // stale writes

	// stall is for how long this machine itself stood still at most.
	stall time.Duration
}

// playRound settles the stage, does the fault, lets the stage settle and takes
// the measures.
func playRound(ctx context.Context, s *stage, f fault) (r round, err error) {
	if r.owner, err = s.settle(ctx, f.members); err != nil {
		return r, fmt.Errorf("before the fault: %w", err)
	}
	watch := watchStalls()
	err = f.play(ctx, s, &r)
	r.stall = watch.stop()
	if err != nil {
		return r, err
	}
	active, err := s.settle(ctx, f.members)
	if err != nil {
		return r, fmt.Errorf("after the fault: %w", err)
	}
	r.same = active == r.owner
	if r.rejoined != nil {
		r.youngest = r.youngest && active != r.rejoined && s.youngest(r.rejoined)
	}
	all, err := s.claims()
	if err != nil {
		return r, err
	}
	r.overlap = overlap(all)
	if f.lapse {
		r.failover = lapse(all, r.hit, now())
	} else {
		r.failover = time.Duration(r.taken - r.hit)
		r.gap = time.Duration(r.taken - lastClaim(r.was, r.taken))
	}
	r.accepted, r.refused, err = s.stale(ctx)
	return r, err
}

// strike waits for a random moment of a heartbeat, and notes the instant of the
// fault. On a machine that stands still the role may move by itself meanwhile, or
// nobody knows where it is; then the fault is for the node that has it afterwards.
func (s *stage) strike(ctx context.Context, r *round) error {
	for {
		if err := process.Pause(ctx, time.Duration(s.random.Int64N(int64(heartbeat)))); err != nil {
			return err
		}
		r.was, r.youngest = r.owner.life, true
		r.hit = now()
		if report := r.was.page.Report(); report.Active && r.hit-report.At < int64(fresh) {
			return nil
		}
		var err error
		if r.owner, err = s.settle(ctx, 2); err != nil {
			return err
		}
	}
}

// handedOver waits for the successor.
func (s *stage) handedOver(ctx context.Context, r *round) error {
	next, first, err := s.successor(ctx, r.hit, r.was)
	r.next, r.taken = next, first
	return err
}

// stalls watches for how long this machine stands still, as one that is
// overloaded or suspended does: then no deadline can be kept by anybody.
type stalls struct {
	quit chan struct{}
	most chan time.Duration
}

const stallTick = 10 * time.Millisecond

func watchStalls() *stalls {
	w := &stalls{make(chan struct{}), make(chan time.Duration)}
	go func() {
		most := time.Duration(0)
		for last := now(); ; {
			select {
			case <-w.quit:
				w.most <- most
				return
			case <-time.After(stallTick):
			}
			at := now()
			most = max(most, time.Duration(at-last)-stallTick)
			last = at
		}
	}()
	return w
}

// stop returns the longest stall.
func (w *stalls) stop() time.Duration {
	close(w.quit)
	return <-w.most
}
