package resubscribe

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// maxCalls is how many calls of a guard may not have returned, those of an earlier Run
// included. More would be a leak, and at a peer that is only slow each of them is load.
const maxCalls = 8

// maxStack bounds what a panic keeps for the log.
const maxStack = 8 << 10

var (
	errGoexit = errors.New("resubscribe: the call ended its goroutine without an answer")
	errEnded  = errors.New("resubscribe: the attempt has ended")
)

// driver is one Run.
type driver struct {
	guard     *Guard
	subscribe func(context.Context, Attempt) error

	newest Attempt
	work   context.Context    //nolint:containedctx // of the newest attempt, while that is in flight
	end    context.CancelFunc // of work
}

// drive goes from tick to tick until ctx ends or the guard is stopped.
func (d *driver) drive(ctx context.Context) {
	//nolint:forbidigo // it paces work; see the package comment on time
	timer := time.NewTimer(Never)
	defer timer.Stop()
	for ctx.Err() == nil {
		t := d.guard.arm()
		d.dismiss(t)
		if t.stopped {
			return
		}
		full := len(d.guard.slots) == maxCalls
		d.guard.setFull(full)
		if full && t.attempt == 0 {
			t.wait = Never // until a call returns
		}
		if t.wait > 0 && !d.rest(ctx, timer, t.wait) {
			continue
		}
		if a, ok := d.guard.fire(t, !full); ok {
			d.call(ctx, a)
		}
	}
}

// rest waits, and tells whether the time has come: something else was first if not.
func (d *driver) rest(ctx context.Context, timer *time.Timer, wait time.Duration) bool {
	timer.Reset(wait)
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-d.guard.wake:
	case <-ctx.Done():
	}
	return false
}

// dismiss ends the context of an attempt that is in flight no more. At the ceiling it
// leaves that to the deadline, which is now, so that the context always says why. An
// earlier deadline is that of the context of Run, which may outlive it.
func (d *driver) dismiss(t tick) {
	if d.work == nil || d.newest.ID == t.attempt {
		return
	}
	ceiling := d.newest.Sent.Add(d.guard.config.Ceiling)
	if deadline, _ := d.work.Deadline(); !deadline.Before(ceiling) && time.Until(deadline) <= 0 {
		<-d.work.Done()
	}
	d.end()
	d.work, d.end = nil, nil
}

// call calls the function in a goroutine of its own. There is a slot, since only drive
// takes them.
func (d *driver) call(ctx context.Context, a Attempt) {
	d.dismiss(tick{})
	work, end := context.WithDeadline(ctx, a.Sent.Add(d.guard.config.Ceiling))
	d.newest, d.work, d.end = a, work, end
	d.guard.slots <- struct{}{}
	go func() {
		defer func() {
			<-d.guard.slots
			d.guard.setFull(false) // also when no Run is on, which would look
			d.guard.poke()
		}()
		d.contain(work, a, func(err error, pending bool) { d.settle(ctx, a, err, pending) })
	}()
}

// contain makes the call and gives done one outcome, whatever the function does: return,
// panic, or end the goroutine. In the last case done runs while that unwinds. A call
// whose attempt has ended before it began is not made.
func (d *driver) contain(ctx context.Context, a Attempt, done func(err error, pending bool)) {
	outcome, pending := errGoexit, false
	defer func() {
		if value := recover(); value != nil {
			outcome, pending = panicked(value), false
		}
		done(outcome, pending)
	}()
	if !d.guard.inFlight(a) {
		outcome = errEnded
		return
	}
	err := d.subscribe(ctx, a)
	pending = errors.Is(err, ErrPending) // may call methods of the error
	outcome = err
}

// settle takes an outcome in. An error after the end of ctx is no answer.
func (d *driver) settle(ctx context.Context, a Attempt, err error, pending bool) {
	switch {
	case pending:
	case err == nil:
		d.guard.Succeed(a.ID)
	case ctx.Err() == nil:
		d.guard.Fail(a.ID, err)
	}
}

// join ends the last context and waits for the calls, but no longer than goodbye: when
// it has taken all slots, all calls have returned.
func (d *driver) join() {
	d.dismiss(tick{})
	//nolint:forbidigo // it bounds a wait
	patience := time.NewTimer(goodbye)
	defer patience.Stop()
	taken := 0
	for late := false; taken < maxCalls && !late; {
		select {
		case d.guard.slots <- struct{}{}:
			taken++
		case <-patience.C:
			late = true
		}
	}
	for range taken {
		<-d.guard.slots
	}
	d.guard.setFull(len(d.guard.slots) == maxCalls)
}

// panicError keeps the value of a panic for the log, where its text is made.
type panicError struct {
	value any
	stack []byte
}

func panicked(value any) error {
	stack := debug.Stack()
	return &panicError{value, stack[:min(len(stack), maxStack)]}
}

// Error says with what the call panicked, and where.
func (p *panicError) Error() string {
	return fmt.Sprintf("resubscribe: the call panicked: %v\n%s", p.value, p.stack)
}

// Unwrap returns the value if it is an error.
func (p *panicError) Unwrap() error {
	err, _ := p.value.(error)
	return err
}
