package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrNotActive is the error of work that was not let in, and the cause of the
// contexts of work that was, once the tenure has ended. It comes wrapped with the
// reason, and with the active node where that is known.
var ErrNotActive = errors.New("cluster: not active")

// Gate tells whether this node may act, and lets work in while it may. It reads
// the Source anew for every call and by the rule of Decide, so it agrees with the
// Active check of the same source and roles; only while the cluster is starting
// the gate is shut and the check Degraded (S1.46, S1.49, X2).
//
// All methods may be called by any goroutine. A nil or zero Gate is shut, and so
// is one whose source panics (S1.47, R27).
type Gate struct {
	src            Source
	rolePreference []string
}

// NewGate returns the gate of the node that src belongs to. With roles the scope
// is the first of them that the node holds, and a node that holds none is never
// let through. The error names a source that is nil or a role that is not valid.
func NewGate(src Source, rolePreference ...string) (*Gate, error) {
	if err := usable(src); err != nil {
		return nil, err
	}
	if err := ValidateRoles(rolePreference); err != nil {
		return nil, err
	}
	return &Gate{src: src, rolePreference: slices.Clone(rolePreference)}, nil
}

// IsActive tells whether this node is the active one now. The answer may be old
// when it is used; work that must not outlive it goes through Acquire or Enter.
// Cost: one reading of the clock and a walk over the members, no allocation.
func (g *Gate) IsActive() bool { return g.ask().Active }

// ActiveNode returns the address of the active node, which may be this one. It is
// not known while nobody is, or while this node has no valid view.
func (g *Gate) ActiveNode() (address string, known bool) {
	address = g.ask().Holder.Address
	return address, address != ""
}

// Acquire lets one unit of work in: something that is begun and done, as a write
// is. The context that it returns has the fence as its deadline, the moment from
// which on another node may act, and carries the Token for the resource. The
// caller calls release when the work is done; a Source that is a Tracker waits
// for that when it leaves. release may be called more than once.
//
// Without the role the error wraps ErrNotActive, the context has ended, and
// release does nothing.
//
// A deadline only reaches work that looks at it, and the timers behind it stand
// still while the host sleeps. A resource that refuses old tokens is safe from
// the rest.
func (g *Gate) Acquire(ctx context.Context) (work context.Context, release func(), err error) {
	began := time.Now() // before the source's clock is read: a pause between the two ends the work early
	a, err := g.admit()
	if err != nil {
		return refused(ctx, err)
	}
	work = withToken(orBackground(ctx), a.decision.Token)
	cancel := context.CancelFunc(func() {})
	if !a.unbounded() {
		deadline := began.Add(a.decision.ValidUntil.Sub(a.now))
		work, cancel = context.WithDeadlineCause(work, deadline, errTenureEnded)
	} else {
		work, cancel = context.WithCancel(work)
	}
	return work, func() { cancel(); a.done() }, nil
}

// Enter lets in work that lasts, as a request or a stream does. Its context has no
// deadline: it goes on for as long as the node's tenure is prolonged, and ends at
// the last fence, with a cause that wraps ErrNotActive. Everything else is as with
// Acquire. After a sleep of the host it can end up to a second late.
//
// A node that leaves gracefully lets no new work in, and waits for this until its
// fence. End streams that would go on for ever before you leave.
func (g *Gate) Enter(ctx context.Context) (work context.Context, release func(), err error) {
	a, err := g.admit()
	if err != nil {
		return refused(ctx, err)
	}
	work, cancel := context.WithCancelCause(withToken(orBackground(ctx), a.decision.Token))
	if a.unbounded() {
		return work, func() { cancel(nil); a.done() }, nil
	}
	t := watchTenure(g, a, cancel)
	return work, func() { t.stop(); cancel(nil); a.done() }, nil
}

// ask decides now.
func (g *Gate) ask() Decision {
	if g == nil {
		return Decision{}
	}
	return Ask(g.src, g.rolePreference...)
}

// admission is work that was let in: counted, and decided on at now.
type admission struct {
	now      Instant
	decision Decision
	done     func()
}

// unbounded tells whether the work has no fence: the node works alone.
func (a admission) unbounded() bool { return a.decision.Reason == ReasonNotClustered }

// admit counts the work and then decides. In the other order a source could give
// up the role between the two, see no work to wait for, and hand over while the
// work begins (F7).
func (g *Gate) admit() (admission, error) {
	if g == nil {
		return admission{}, notActive(Decision{})
	}
	done, err := track(g.src)
	if err != nil {
		return admission{}, err
	}
	now, v, _ := read(g.src)
	d := Decide(v, now, g.rolePreference...)
	if !d.Active {
		done()
		return admission{}, notActive(d)
	}
	return admission{now: now, decision: d, done: done}, nil
}

// track counts a piece of work where the source wants to know.
func track(src Source) (done func(), err error) {
	tracker, ok := src.(Tracker)
	if !ok {
		return func() {}, nil
	}
	defer func() {
		if p := recover(); p != nil {
			done, err = nil, fmt.Errorf("%w: the source panicked: %v", ErrNotActive, p)
		}
	}()
	counted := tracker.Track()
	if counted == nil {
		return func() {}, nil
	}
	return func() {
		defer func() { _ = recover() }()
		counted()
	}, nil
}
