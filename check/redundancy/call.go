package redundancy

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var (
	// errTimeout is the outcome of a call that did not return in time.
	errTimeout = errors.New("redundancy: no answer in time")
	// errBroken is wrapped by the outcome of a call that panicked or ended its
	// goroutine, which says nothing about what was called.
	errBroken = errors.New("redundancy: no answer")
)

// goodbye is for how long a call may go on after the node was told to end. It is
// well below the second that Run has.
const goodbye = 500 * time.Millisecond

// caller runs one function of the user's, one call at a time. Each call has a
// goroutine of its own, so that one that never returns costs that goroutine and
// nothing else: as long as it has not returned, every other call is out of time.
type caller struct {
	limit time.Duration // of one call; 0 is none
	slot  chan struct{} // has an element while a call has not returned
}

func newCaller(limit time.Duration) *caller {
	return &caller{limit: limit, slot: make(chan struct{}, 1)}
}

// busy tells whether a call has not returned.
func (c *caller) busy() bool { return len(c.slot) > 0 }

// do calls f and returns its error, errTimeout or one that wraps errBroken. When ctx
// ends it waits a little longer for f, which should have noticed.
func (c *caller) do(ctx context.Context, f func(context.Context) error) error {
	began := time.Now()
	work, cancel := c.bound(ctx)
	defer cancel()
	select {
	case c.slot <- struct{}{}:
	case <-work.Done():
		return c.given(ctx)
	}
	answer := make(chan error, 1)
	go contain(func() error { return f(work) }, func(err error) {
		<-c.slot
		answer <- err
	})
	select {
	case err := <-answer:
		return c.inTime(began, err)
	case <-work.Done():
	}
	if ctx.Err() == nil {
		return errTimeout
	}
	return c.farewell(ctx, answer)
}

// given is the outcome of a call that was not made.
func (*caller) given(ctx context.Context) error {
	if ctx.Err() == nil {
		return errTimeout
	}
	return context.Cause(ctx)
}

// bound gives the call its limit.
func (c *caller) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.limit)
}

// inTime makes what was said at the limit or after it a timeout, so that no
// outcome depends on which of the two was scheduled first.
func (c *caller) inTime(began time.Time, err error) error {
	if c.limit > 0 && time.Since(began) >= c.limit {
		return errTimeout
	}
	return err
}

// farewell waits for a call that was told to end.
func (*caller) farewell(ctx context.Context, answer <-chan error) error {
	//nolint:forbidigo // contexts end on the runtime's timers as well
	patience := time.NewTimer(goodbye)
	defer patience.Stop()
	select {
	case err := <-answer:
		return err
	case <-patience.C:
		return context.Cause(ctx)
	}
}

// contain calls f and gives done exactly one outcome, whatever f does: return,
// panic, or end the goroutine. In the last case done runs while that unwinds.
func contain(f func() error, done func(error)) {
	err := fmt.Errorf("%w: the call ended its goroutine", errBroken)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: panic: %v", errBroken, p)
		}
		done(err)
	}()
	err = f()
}

// sleep waits, and tells whether ctx is still on.
func sleep(ctx context.Context, d time.Duration) bool {
	//nolint:forbidigo // a wait that nothing is measured by
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
