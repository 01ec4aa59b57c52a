package resubscribe_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/liveness"
)

// A reporter of the board is one that a guard can report to.
var _ resubscribe.Reporter = (*board.Reporter)(nil)

// TestBoardSeesTheGuard runs a guard under liveness.Run as a processor of a board: a loop
// that subscribes again and again is Busy and Healthy, however long it gets no answer,
// and Idle between attempts; the end of its context is a stop, and a guard that nobody
// asks any more, with a request in flight, is stuck.
func TestBoardSeesTheGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.New()
		monitor, err := liveness.NewMonitor(b)
		if err != nil {
			t.Fatal(err)
		}
		reporter := b.MustRegister(board.Spec{ID: "subscribe"})
		guard, err := resubscribe.New(resubscribe.Config{Key: "gateway", NoJitter: true}, resubscribe.WithReporter(reporter))
		if err != nil {
			t.Fatal(err)
		}
		want := func(after string, state board.State, limit time.Duration, status check.Status) {
			t.Helper()
			o, _ := b.Get("subscribe")
			p, _ := monitor.Processor("subscribe")
			if o.State != state || o.Limit != limit || p.Status != status {
				t.Errorf("%s: %v with limit %v, %v, want %v with %v, %v", after, o.State, o.Limit, p.Status, state, limit, status)
			}
		}

		answer := make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- liveness.Run(ctx, reporter, func(ctx context.Context) error {
				return guard.Run(ctx, func(ctx context.Context, _ resubscribe.Attempt) error {
					select {
					case err := <-answer:
						return err
					case <-ctx.Done():
						return ctx.Err()
					}
				})
			})
		}()
		for elapsed := range 10 * 60 {
			synctest.Wait()
			if elapsed%10 == 0 {
				want("unanswered", board.Busy, 50*time.Second, check.Healthy)
			}
			time.Sleep(time.Second)
		}
		answer <- errors.New("the gateway refuses")
		synctest.Wait()
		want("refused", board.Idle, 0, check.Healthy)
		time.Sleep(time.Minute) // the back-off is at its cap
		synctest.Wait()
		want("the next", board.Busy, 50*time.Second, check.Healthy)
		answer <- nil
		time.Sleep(time.Hour)
		want("subscribed", board.Idle, 0, check.Healthy)
		if o, _ := b.Get("subscribe"); o.Beats != 2 {
			t.Errorf("%d beats, want one for each answer", o.Beats)
		}

		guard.Restore()
		synctest.Wait()
		want("restored", board.Busy, 50*time.Second, check.Healthy)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("liveness.Run = %v, want nil", err)
		}
		want("ended", board.Stopped, 0, check.Healthy)
	})
}

// TestBoardSeesAnAbandonedGuard: an attempt is in flight and nobody looks.
func TestBoardSeesAnAbandonedGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.New()
		monitor, err := liveness.NewMonitor(b)
		if err != nil {
			t.Fatal(err)
		}
		guard, err := resubscribe.New(resubscribe.Config{Key: "gateway"}, resubscribe.WithReporter(b.MustRegister(board.Spec{ID: "subscribe"})))
		if err != nil {
			t.Fatal(err)
		}
		guard.Begin()
		time.Sleep(50 * time.Second)
		if p, _ := monitor.Processor("subscribe"); p.Status != check.Healthy {
			t.Errorf("at the limit: %+v, want Healthy", p.Verdict)
		}
		time.Sleep(time.Second)
		if p, _ := monitor.Processor("subscribe"); p.Status != check.Unhealthy {
			t.Errorf("past the limit: %+v, want Unhealthy", p.Verdict)
		}
	})
}
