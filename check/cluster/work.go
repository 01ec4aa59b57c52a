package cluster

import "context"

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
	a, err := g.admit()
	if err != nil {
		return refused(ctx, err)
	}
	work = withToken(orBackground(ctx), a.decision.Token)
	if a.unbounded() {
		work, cancel := context.WithCancel(work)
		return work, func() { cancel(); a.done() }, nil
	}
	work, cancel := context.WithDeadlineCause(work, a.deadline(), errTenureEnded)
	return work, func() { cancel(); a.done() }, nil
}

// Enter lets in work that lasts, as a request or a stream does. Its context has no
// deadline: it goes on for as long as the node's tenure is prolonged, and ends at
// the last fence, with a cause that wraps ErrNotActive. Everything else is as with
// Acquire. After a sleep of the host it can end up to a second late.
//
// A node that leaves gracefully lets no new work in, and waits for this until its
// claim has run out. End streams that would go on for ever before you leave.
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
