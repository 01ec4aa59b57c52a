package resubscribe

import (
	"context"
	"errors"
	"time"
)

// ErrPending is what the function of Run returns when it has sent its request and the
// answer comes another way: whoever gets it calls Succeed or Fail with the attempt's ID.
// The context of the attempt goes on until then.
var ErrPending = errors.New("resubscribe: the answer comes later")

var (
	errNoFunction = errors.New("resubscribe: subscribe nil: must not be nil")
	errRunning    = errors.New("resubscribe: run 2: must be at most 1 of a guard at a time")
)

// goodbye is for how long Run waits for its calls when it has been told to end. It is
// well below the second in which a service expects a loop to be gone.
const goodbye = 500 * time.Millisecond

// Run calls subscribe whenever an attempt may begin, until ctx ends or the Guard is
// stopped, and then returns nil. It returns an error at once when subscribe is nil, when
// another Run is on, or when the Guard does not come from New. A nil ctx never ends.
//
//   - Nil is a success: the next call is after Restore or Resubscribe.
//   - ErrPending leaves the answer to whoever calls Succeed or Fail.
//   - Any other error, a panic and runtime.Goexit are a failure: the next call is after
//     the back-off.
//   - When it has not returned at the ceiling the attempt is presumed lost, and what it
//     returns later changes nothing. It goes on in its goroutine until it returns. There
//     are eight such calls at most, enough to stay on for the six minutes in which a
//     client that ignores its context is worth waiting for; then there is no other
//     until one of them returns.
//
// The context of a call ends with its attempt: when it has returned, has reached the
// ceiling, which is its deadline, or was superseded, and when Run ends. What is to
// outlive the request, such as a stream of events, needs a context of its own.
//
// An attempt that is in flight when ctx ends remains so, up to the ceiling: the request
// was sent, and the next Run must not send another. Run returns when its calls have
// returned, or half a second after the end of ctx.
func (g *Guard) Run(ctx context.Context, subscribe func(ctx context.Context, a Attempt) error) error {
	switch {
	case !g.made():
		return errNotMade
	case subscribe == nil:
		return errNoFunction
	case ctx == nil:
		ctx = context.Background() //nolint:forbidigo // nil is a caller without an end
	}
	select {
	case g.running <- struct{}{}:
	default:
		return errRunning
	}
	defer func() { <-g.running }()
	ctx, cancel := context.WithCancel(ctx)
	d := &driver{guard: g, subscribe: subscribe}
	d.drive(ctx)
	cancel()
	d.join()
	return nil
}

// tick is what the driver's timer was armed for.
type tick struct {
	generation uint64 // of the state
	wait       time.Duration
	attempt    uint64 // in flight; 0 is none
	stopped    bool
}

// arm returns the tick that is to come by what is known now.
func (g *Guard) arm() tick {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := &g.ledger
	t := tick{generation: l.generation, wait: l.wait(time.Now()), stopped: l.stopped}
	if l.inFlight {
		t.attempt = l.attempt.ID
	}
	return t
}

// fire does what t was armed for: it gives up an attempt that has reached the ceiling,
// and begins one if it may. A tick of an older generation does nothing, since what it
// was armed for is no more; the driver arms another (X28).
func (g *Guard) fire(t tick, mayCall bool) (Attempt, bool) {
	random := g.draw()
	g.mu.Lock()
	if t.generation != g.ledger.generation {
		g.mu.Unlock()
		return Attempt{}, false
	}
	now := time.Now()
	lost := g.presume(now)
	var (
		a  Attempt
		ok bool
	)
	if mayCall {
		a, ok = g.ledger.begin(now, random)
	}
	delay := g.ledger.delay
	g.mu.Unlock()

	g.tellLost(lost)
	if ok {
		g.tellBegun(a, delay)
	}
	return a, ok
}

// inFlight tells whether the attempt has not ended.
func (g *Guard) inFlight(a Attempt) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ledger.answers(a.ID)
}

// setFull notes whether Run has as many calls as it may.
func (g *Guard) setFull(full bool) {
	g.mu.Lock()
	changed := g.full != full
	g.full = full
	g.mu.Unlock()
	if !changed {
		return
	}
	g.report.show(g)
	if full {
		g.log.warn("no call of subscribe returns: none is made until one does", "calls", maxCalls)
	}
}

// poke has Run look again.
func (g *Guard) poke() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}
