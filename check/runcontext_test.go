package check_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/loopvitals/loopvitals/check"
)

// TestDerivedContextsSayDeadlineExceeded: what a check makes of its context
// tells the same as the context itself, at the limit and after an answer.
func TestDerivedContextsSayDeadlineExceeded(t *testing.T) {
	type key struct{}
	for name, mocked := range map[string]bool{"real clock": false, "mock": true} {
		for _, hangs := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var derived []context.Context
					release := make(chan struct{})
					mock := clock.NewMock()
					var opts []check.Option
					if mocked {
						opts = append(opts, check.WithClock(mock))
					}
					r := newRunner(t, check.Func(func(ctx context.Context) check.Result {
						child, cancel := context.WithCancel(ctx)
						defer cancel()
						late, cancel := context.WithTimeout(ctx, time.Hour)
						defer cancel()
						grandchild, cancel := context.WithCancel(context.WithValue(child, key{}, 1))
						defer cancel()
						valued, give := context.WithCancelCause(context.WithValue(ctx, key{}, 1))
						defer give(nil)
						derived = []context.Context{ctx, child, late, grandchild, valued}
						if hangs {
							<-release
						}
						return check.Result{Status: check.Healthy}
					}), check.Sampling{}, opts...)
					answer := ask(t.Context(), r)
					synctest.Wait()
					time.Sleep(800 * ms)
					mock.Add(800 * ms)
					<-answer
					synctest.Wait()
					want := context.Canceled
					if hangs {
						want = context.DeadlineExceeded
					}
					for i, ctx := range derived {
						if ctx.Err() != want || context.Cause(ctx) != want {
							t.Errorf("hangs %v: context %d: %v, cause %v, want %v", hangs, i, ctx.Err(), context.Cause(ctx), want)
						}
					}
					close(release)
				})
			})
		}
	}
}

// TestRunWithoutAContext takes nil for a context that never ends.
func TestRunWithoutAContext(t *testing.T) {
	var none context.Context
	if err := newRunner(t, newDependency(), check.Sampling{}).Run(none); err != check.ErrNoSchedule {
		t.Errorf("Run = %v", err)
	}
	if err := (*check.Runner)(nil).Run(none); err != check.ErrNoSchedule {
		t.Errorf("nil Run = %v", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// The only way to end it is from inside: by a clock of ours.
		_ = newRunner(t, newDependency(), check.Sampling{Every: ms, MaxAge: time.Second}, check.WithClock(exitingClock{clock.New()})).Run(none)
		t.Error("Run without an end has returned")
	}()
	<-ended
}

// exitingClock ends the goroutine that asks for a ticker.
type exitingClock struct{ clock.Clock }

func (exitingClock) Ticker(time.Duration) *clock.Ticker {
	runtime.Goexit()
	return nil
}
