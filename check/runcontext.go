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

// Err says DeadlineExceeded at the limit, as drivers expect of a deadline.
func (c *runContext) Err() error {
	err := c.Context.Err()
	if err != nil && context.Cause(c.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}

func (c *runContext) Value(key any) any {
	if _, ok := key.(runKey); ok {
		return c.run
	}
	return c.Context.Value(key)
}

// runOf returns the run that ctx was handed to, if it has not returned yet.
func runOf(ctx context.Context) *run {
	x, _ := ctx.Value(runKey{}).(*run)
	if x == nil || x.returned.Load() {
		return nil
	}
	return x
}
