package resubscribe

import (
	"errors"
	"sync"
	"time"
)

// errNotMade is what a Guard says that does not come from New.
var errNotMade = errors.New("resubscribe: guard: must be made by New")

// Guard keeps one connection from having two subscribe requests in flight, and from
// sending them closer than its back-off allows. Use Run, which calls a function
// whenever an attempt may begin; or, in a loop of your own, Begin with Succeed and Fail.
//
// A Guard is a check.Checker, see Check. A nil or zero Guard begins nothing.
type Guard struct {
	config Config // settled
	random func() float64
	log    log
	report report

	mu     sync.Mutex
	ledger ledger
	full   bool // Run has as many calls as it may

	running chan struct{} // has an element while Run is on
	slots   chan struct{} // has an element for each call of Run's that has not returned
	wake    chan struct{} // has an element when Run should look again
}

// New returns the Guard of one connection; the error names the field that is wrong, its
// value and its bound. The first attempt may begin at once, so wait with it for the first
// connection: an attempt that fails for want of one puts off the next by a floor.
func New(c Config, options ...Option) (*Guard, error) {
	settled, err := c.settle()
	if err != nil {
		return nil, err
	}
	g := &Guard{
		config:  settled,
		random:  chance,
		ledger:  newLedger(settled),
		running: make(chan struct{}, 1),
		slots:   make(chan struct{}, maxCalls),
		wake:    make(chan struct{}, 1),
	}
	for _, o := range options {
		if o != nil {
			o.apply(g)
		}
	}
	return g, nil
}

// made tells whether g can work.
func (g *Guard) made() bool { return g != nil && g.wake != nil }

// Key is the key of the configuration; empty on nil.
func (g *Guard) Key() string {
	if g == nil {
		return ""
	}
	return g.config.Key
}

// Begin begins an attempt if one may begin now: none is in flight below the ceiling,
// the back-off has passed, and something is to be subscribed. The caller sends the
// request and, when the answer comes, calls Succeed or Fail with the attempt's ID; if
// it never does, the attempt is presumed lost at the ceiling.
//
// wait is for how long not to ask again, whether or not an attempt has begun. While one
// is in flight it ends at the ceiling at the latest (X22); it is Never after a success
// and after Stop. Ask again sooner when something has happened: after Succeed, Fail,
// Restore and Resubscribe. To ask at a wrong time does no harm, since Begin goes by how
// things are then.
//
// Being refused costs a lock and no allocation.
func (g *Guard) Begin() (a Attempt, wait time.Duration, ok bool) {
	if !g.made() {
		return Attempt{}, Never, false
	}
	random := g.draw()
	g.mu.Lock()
	now := time.Now()
	lost := g.presume(now)
	a, ok = g.ledger.begin(now, random)
	wait = g.ledger.wait(now)
	delay := g.ledger.delay
	g.mu.Unlock()

	g.tellLost(lost)
	if ok {
		g.tellBegun(a, delay)
	}
	return a, wait, ok
}

// Succeed ends the attempt with this ID: it brought what was asked for. The back-off is
// at the floor again, and nothing more begins until Restore or Resubscribe. It is false,
// and has no effect, when that attempt is not in flight: it has ended, was presumed
// lost, superseded or never begun (S3.9).
func (g *Guard) Succeed(id uint64) bool {
	if !g.made() {
		return false
	}
	g.mu.Lock()
	now := time.Now()
	age := now.Sub(g.ledger.attempt.Sent)
	ok := g.ledger.succeed(now, id)
	g.mu.Unlock()

	if ok {
		g.told()
		g.log.info("subscribed", "attempt", id, "age", age)
	}
	return ok
}

// Fail ends the attempt with this ID: it was refused or could not be sent. The next may
// begin after the back-off. err is for the log only, and may be nil. It is false, and
// has no effect, as Succeed is.
//
// An attempt past the ceiling was lost before it failed, so that the context of a call
// that ends at the ceiling comes to the same as the ceiling.
func (g *Guard) Fail(id uint64, err error) bool {
	if !g.made() {
		return false
	}
	g.mu.Lock()
	now := time.Now()
	lost := g.presume(now)
	ok := g.ledger.fail(now, id)
	wait := g.ledger.wait(now)
	g.mu.Unlock()

	g.tellLost(lost)
	if ok {
		g.told()
		g.log.warn("a subscribe failed", "attempt", id, "next", wait, "err", reason{err})
	}
	return ok
}

// Restore says that the connection is there again, and new: what was subscribed is not,
// and nobody will answer the attempt in flight, which is superseded. The back-off is at
// the floor, and the next attempt may begin at once, but not within a floor of the last
// one, so that a connection that comes and goes is no storm (S3.10, X23).
func (g *Guard) Restore() { g.change((*ledger).restore) }

// Resubscribe says that what is subscribed must be subscribed anew on the same
// connection, since there is more of it or the other side has dropped it. The next
// attempt may begin at once, but not within a floor of the last one. One that is in
// flight goes on, and there is another when it succeeds; while attempts fail or are lost
// the back-off stays as it is.
func (g *Guard) Resubscribe() { g.change((*ledger).resubscribe) }

// Stop ends the Guard for good: no attempt begins after it, no answer counts, and Run
// returns. It may be called again.
func (g *Guard) Stop() { g.change(func(l *ledger, _ time.Time) { l.stop() }) }

// change does what somebody has asked for.
func (g *Guard) change(do func(*ledger, time.Time)) {
	if !g.made() {
		return
	}
	g.mu.Lock()
	do(&g.ledger, time.Now())
	g.mu.Unlock()
	g.told()
}

// told lets those know who go by the state.
func (g *Guard) told() {
	g.report.show(g)
	g.poke()
}

// loss is an attempt that was presumed lost.
type loss struct {
	ok        bool
	id        uint64
	age, next time.Duration
}

// presume has the ledger give up what has reached the ceiling. The lock is held.
func (g *Guard) presume(now time.Time) loss {
	if !g.ledger.presume(now) {
		return loss{}
	}
	a := g.ledger.attempt
	return loss{ok: true, id: a.ID, age: now.Sub(a.Sent), next: g.ledger.wait(now)}
}

// tellLost tells of a loss, if there was one (S3.7).
func (g *Guard) tellLost(lost loss) {
	if !lost.ok {
		return
	}
	g.report.show(g)
	g.log.warn("a subscribe is unanswered and presumed lost", "attempt", lost.id, "age", lost.age, "next", lost.next)
}

// tellBegun tells of an attempt that has begun.
func (g *Guard) tellBegun(a Attempt, delay time.Duration) {
	g.report.show(g)
	g.log.info("subscribing", "attempt", a.ID, "epoch", a.Epoch, "backoff", delay)
}
