//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/engine"
)

const (
	ttl       = 3 * time.Second
	heartbeat = ttl / 3
	// slack is what a slow machine may add to the TTL.
	slack      = 1500 * time.Millisecond
	leaveLimit = 500 * time.Millisecond
)

// The verbs of nodes.
const (
	nodeVerb    = "node"
	sessionVerb = "session"
)

// fault is something that is done to a stage, again and again.
type fault struct {
	name string
	cast cast
	// only is the engine that it is for, or "" for both.
	only engine.Kind
	// pair says that a fault needs two members and not three, since it is done
	// more often than a node can come back in the time that there is.
	pair bool
	// atLeast is the least number of rounds, of a figure that needs more.
	atLeast int
	// lapse measures for how long nobody was active, and not the time from the
	// fault to the claim of another.
	lapse bool
	// limit is the longest failover.
	limit time.Duration
	// p95 is the longest failover but for one in twenty.
	p95 time.Duration
	// perhaps is how many rounds may be tried until one shows an overlap,
	// where that is what has to be shown.
	perhaps int
	// arrives says that each round makes a stale write.
	arrives bool

	play func(context.Context, *stage, *round) error
}

// members is how many nodes must be there.
func (f fault) members() int {
	if f.pair {
		return 2
	}
	return 3
}

func faults() []fault {
	node := cast{verb: nodeVerb}
	return []fault{
		{name: "kill -9", cast: node, limit: ttl + slack, play: playKill},
		{name: "kill -9, back at once", cast: node, limit: ttl + slack, play: playRestart},
		{name: "stopped past the TTL", cast: node, limit: ttl + slack, play: playStop},
		{name: "work frozen on its way", cast: node, limit: ttl + slack, arrives: true, play: playFreeze},
		{name: "cut off (proxy)", cast: node, limit: ttl + slack, play: playCut},
		{name: "answers lost (proxy)", cast: node, limit: ttl + slack, play: playDeaf},
		{name: "cut off, record deleted", cast: node, limit: ttl + slack, play: playDelete},
		{name: "graceful leave", cast: node, pair: true, atLeast: 20, p95: leaveLimit, play: playLeave},
		{name: "engine killed, back", cast: node, lapse: true, play: playEngineShort},
		{name: "engine down past the TTL", cast: node, lapse: true, play: playEngineLong},
		{name: "cut off (cable)", cast: cast{verb: nodeVerb, cabled: true}, limit: ttl + slack, play: playCable},
		{
			name: "CONTROL: etcd Session.Done", cast: cast{verb: sessionVerb, trusting: true}, only: engine.Etcd,
			perhaps: 12, play: playCut,
		},
	}
}

// round is one fault that was done once, and what came of it.
type round struct {
	owner *slot // who was active
	was   *life // the process that was

	hit      int64 // when it was done
	next     *life // the process that took over
	taken    int64 // when it did
	failover time.Duration
	gap      time.Duration // from the last claim of the old owner to the first of the new
	overlap  time.Duration
	rejoined *slot // who has come back
	youngest bool  // and is the youngest
	same     bool  // the active node is the same as before

	accepted, refused int // stale writes
}

// playRound settles the stage, does the fault at a random moment of a heartbeat,
// lets the stage settle and takes the measures.
func playRound(ctx context.Context, s *stage, f fault) (r round, err error) {
	if r.owner, err = s.settle(ctx, f.members()); err != nil {
		return r, fmt.Errorf("before the fault: %w", err)
	}
	acceptedBefore, refusedBefore, err := s.stale(ctx)
	if err != nil {
		return r, err
	}
	begin := now()
	if err := f.play(ctx, s, &r); err != nil {
		return r, err
	}
	active, err := s.settle(ctx, f.members())
	if err != nil {
		return r, fmt.Errorf("after the fault: %w", err)
	}
	r.same = active == r.owner
	if r.rejoined != nil {
		r.youngest = r.youngest && s.youngest(r.rejoined)
	}
	all, err := s.claims(begin)
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
	accepted, refused, err := s.stale(ctx)
	r.accepted, r.refused = accepted-acceptedBefore, refused-refusedBefore
	return r, err
}

// strike waits for a random moment and notes the instant of the fault.
func (s *stage) strike(ctx context.Context, r *round) error {
	if err := pause(ctx, time.Duration(s.random.Int64N(int64(heartbeat)))); err != nil {
		return err
	}
	r.was, r.youngest = r.owner.life, true
	r.hit = now()
	return nil
}

// handedOver waits for the successor.
func (s *stage) handedOver(ctx context.Context, r *round) (next *life, err error) {
	next, first, err := s.successor(ctx, r.hit, r.was)
	if err != nil {
		return nil, err
	}
	r.next, r.taken = next, first
	return next, nil
}
