package tiers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long a gate is waited for. One that reads memory needs a
// microsecond, so only a process that stands still altogether comes near it.
const patience = time.Second

// maxAddress is the length of the longest host name with a port.
const maxAddress = 253 + len(":65535")

var (
	errClosed = errors.New("tiers: gate is closed")
	errSilent = fmt.Errorf("tiers: gate has not answered within %v", patience)
)

// FailClosed returns a gate that asks g and takes every way of not answering
// for no (S1.47, F52): a g that is nil, panics, ends its goroutine or has not
// answered within a second is closed. While such a late answer is outstanding
// g is not asked again, so a gate that hangs holds up, and keeps a goroutine
// for, no more than the requests of one second. A late answer that turns out to
// be a yes is released at once.
//
// RequireActive and the interceptors of tiers/grpcgate do this by themselves.
// FailClosed is for other ways in: a consumer of messages, a job. The result is
// a Locator, and an Admitter exactly if g is one; the error of its Enter is or
// wraps that of g and is for a log only, all but the reason of an Explainer, and
// its release may be called more than once. An address that is empty, longer than
// 259 bytes or not printable ASCII counts as not known.
//
// Cost: about two microseconds a call, for a goroutine, without which a gate
// that calls runtime.Goexit would end the caller, and twice that for an Enter that
// is refused.
func FailClosed(g Gate) Gate {
	switch g := g.(type) {
	case *guard, *admittingGuard:
		return g
	case Admitter:
		return &admittingGuard{guard{gate: g.(Gate)}, g}
	default:
		return &guard{gate: g}
	}
}

// guard stands between a gate and those who ask it.
type guard struct {
	gate    Gate
	overdue atomic.Int64 // calls that were given up and have not returned
}

// IsActive implements Gate.
func (g *guard) IsActive() bool {
	open := false
	return g.ask(func() { open = g.gate.IsActive() }, nil) == nil && open
}

// ActiveNode implements Locator.
func (g *guard) ActiveNode() (address string, known bool) {
	locator, ok := g.gate.(Locator)
	if !ok {
		return "", false
	}
	var said string // and not the results, which a late answer must not write to
	var sure bool
	if g.ask(func() { said, sure = locator.ActiveNode() }, nil) != nil || !sure || !printable(said) {
		return "", false
	}
	return said, true
}

// admittingGuard is the guard of a gate that is an Admitter.
type admittingGuard struct {
	guard
	admitter Admitter
}

// Enter implements Admitter.
func (g *admittingGuard) Enter(ctx context.Context) (context.Context, func(), error) {
	var (
		inside  context.Context
		release func()
		refused error
	)
	cause := g.ask(
		func() { inside, release, refused = g.admitter.Enter(ctx) },
		func() {
			if refused == nil {
				contain(release, func(error) {}) // nobody is left to do the work
			}
		})
	switch {
	case cause != nil:
		return ctx, func() {}, cause
	case refused != nil:
		return ctx, func() {}, g.explained(refused)
	}
	leave := sync.OnceFunc(func() { _ = g.call(release, nil) })
	if inside == nil {
		leave()
		return ctx, func() {}, errClosed
	}
	return inside, leave, nil
}

// ask calls the gate, unless it hangs. One that is nil panics, which is an answer
// like any other.
func (g *guard) ask(question, late func()) (cause error) {
	if g.overdue.Load() > 0 {
		return errSilent
	}
	return g.call(question, late)
}

// call runs code of the gate; nil means that it returned in time. Otherwise what
// it writes must not be looked at, except by late, which follows it when it
// returns after all.
func (g *guard) call(code, late func()) (cause error) {
	var settled atomic.Bool // by the answer or by the end of patience
	answer := make(chan error, 1)
	go contain(code, func(cause error) {
		if settled.CompareAndSwap(false, true) {
			answer <- cause
			return
		}
		g.overdue.Add(-1)
		if cause == nil && late != nil {
			late()
		}
	})
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case cause := <-answer:
		return wrapped(cause)
	case <-timer.C:
	}
	g.overdue.Add(1) // before it can be taken back
	if settled.CompareAndSwap(false, true) {
		return errSilent
	}
	g.overdue.Add(-1)
	return wrapped(<-answer) // at the last moment
}

// wrapped says what failed.
func wrapped(cause error) error {
	if cause == nil {
		return nil
	}
	return fmt.Errorf("tiers: gate: %w", cause)
}

// printable tells whether the address can be shown to anybody.
func printable(address string) bool {
	for i := range len(address) {
		if address[i] <= ' ' || address[i] > '~' {
			return false
		}
	}
	return address != "" && len(address) <= maxAddress
}
