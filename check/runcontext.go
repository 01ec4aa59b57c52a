package check

import (
	"context"
	"time"
)

// runContext is what a run hands to its check. It is cancelled at the limit
// by the runner's own timer, so that one timer a run is enough and a mock
// clock governs it too, and it carries nothing of the caller who happened to
// start the run but the chain of runs that led here.
type runContext struct {
	context.Context //nolint:containedctx // a context made of another; cancelled with its cause
	// deadline is on the real clock whatever the runner's clock is: it is
	// for drivers that turn it into a socket's deadline.
	deadline time.Time
	run      *run
}

type runKey struct{}

func (c *runContext) Deadline() (time.Time, bool) { return c.deadline, true }

// Err says DeadlineExceeded at the limit, as drivers expect of a deadline. So
// do contexts that a check derives: see Value.
func (c *runContext) Err() error {
	err := c.Context.Err()
	if err != nil && context.Cause(c.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}

// Value hides the context inside from package context, which would cancel
// derived contexts with what that one says: Canceled.
func (c *runContext) Value(key any) any {
	if _, ok := key.(runKey); ok {
		return c.run
	}
	return c.run.owner.detached.Value(key)
}

// AfterFunc is asked for by package context, in place of a goroutine for each
// context that is derived directly.
func (c *runContext) AfterFunc(f func()) (stop func() bool) {
	return context.AfterFunc(c.Context, f)
}

// runOf returns the run that ctx was handed to, if it has not returned yet.
func runOf(ctx context.Context) *run {
	x, _ := ctx.Value(runKey{}).(*run)
	if x == nil || x.returned.Load() {
		return nil
	}
	return x
}
