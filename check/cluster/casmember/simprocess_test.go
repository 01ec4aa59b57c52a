package casmember_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// driftingClock goes on from any origin, at its own rate.
type driftingClock struct {
	boot   time.Time
	origin cluster.Instant
	rate   float64
}

func (c driftingClock) Now() cluster.Instant {
	return c.origin + cluster.Instant(float64(time.Since(c.boot))*c.rate)
}

// at is the true time of an instant.
func (c driftingClock) at(i cluster.Instant) time.Time {
	return c.boot.Add(time.Duration(float64(i-c.origin) / c.rate))
}

// process is one life of a program: a real Node with its gate, and what it
// thinks that it may do, written down.
type process struct {
	sim   *simulation
	slot  int
	link  *link
	clock driftingClock
	node  *casmember.Node
	gate  *cluster.Gate

	stop  context.CancelFunc
	loops sync.WaitGroup
	ended chan struct{} // Run has returned

	older uint64 // the youngest age that anyone had when this process began
}

// launch starts the process in a slot.
func (s *simulation) launch(slot int) {
	rng := rand.New(rand.NewPCG(s.rng.Uint64(), s.rng.Uint64()))
	p := &process{
		sim: s, slot: slot,
		link: newLink(s, rng),
		clock: driftingClock{
			boot: time.Now(), origin: cluster.Instant(rng.Int64N(1e15)),
			rate: 1 + s.rateError*(2*rng.Float64()-1),
		},
		ended: make(chan struct{}),
		older: s.youngestYet(),
	}
	var err error
	p.node, err = casmember.New(p.link, casmember.Config{Address: addresses[slot], Roles: s.roles[slot], TTL: s.ttls[slot]},
		casmember.WithClock(p.clock), casmember.WithLogger(s.logger(slot)))
	if err != nil {
		panic(err)
	}
	p.gate, err = cluster.NewGate(p.node)
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	p.loops.Go(func() { defer close(p.ended); _ = p.node.Run(ctx) })
	p.loops.Go(func() { p.record(ctx) })
	p.loops.Go(func() { p.work(ctx, rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))) })
	s.processes[slot] = p
	s.all = append(s.all, p)
	s.trace("launch ", slot)
}

// kill ends the process at once. Requests that it has sent go on.
func (p *process) kill() {
	p.link.set(func(s *linkState) { s.dead = true })
	p.stop()
}

// scopes are what claims are made on.
var scopes = [][]string{nil, {"x"}}

// record writes down every claim that the node's views make, for exactly as long
// as each is the newest one.
func (p *process) record(ctx context.Context) {
	for ctx.Err() == nil {
		changed := p.node.Changed()
		v := p.node.View()
		from := time.Now()
		now := p.clock.Now()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		p.sim.claimed(p, v, now, from, time.Now())
	}
}

// claims are the spans of a view in which the node is active, between two true
// times of which the first is now on its own clock.
func (p *process) claims(v *cluster.View, now cluster.Instant, from, to time.Time, scope []string) (spans []claim) {
	bounds := []cluster.Instant{now, v.ValidUntil}
	for _, m := range v.Members {
		bounds = append(bounds, m.HoldUntil)
	}
	slices.Sort(bounds)
	for i, b := range bounds {
		d := cluster.Decide(v, b, scope...)
		if b < now || !d.Active {
			continue
		}
		begin, end := maxTime(from, p.clock.at(b)), to
		if i+1 < len(bounds) {
			end = minTime(to, p.clock.at(bounds[i+1]))
		}
		if begin.Before(end) {
			spans = append(spans, claim{process: p, token: d.Token, from: begin, to: end})
		}
	}
	return spans
}

// work does units of work while the gate lets it, and writes down each.
func (p *process) work(ctx context.Context, rng *rand.Rand) {
	rest := func(d time.Duration) { time.Sleep(time.Duration(rng.Int64N(int64(d))) + 1) }
	for ctx.Err() == nil {
		rest(700 * time.Millisecond)
		if !p.gate.IsActive() {
			continue
		}
		work, release, err := p.gate.Acquire(ctx)
		if err != nil {
			continue
		}
		token, _ := cluster.Token(work)
		from := time.Now()
		select {
		case <-time.After(time.Duration(rng.Int64N(int64(1200 * time.Millisecond)))):
		case <-work.Done():
		}
		p.sim.worked(claim{process: p, token: token, from: from, to: time.Now()})
		release()
	}
}

// logger shows what the node says when one schedule is looked at.
func (s *simulation) logger(slot int) *slog.Logger {
	if !s.verbose {
		return nil
	}
	return slog.New(slog.NewTextHandler(s.t.Output(), nil)).With("slot", slot)
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
