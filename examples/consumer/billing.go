package main

import (
	"context"
	"errors"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
)

// billing adds every order to its customer's account. Two workers share one
// consumer; each has a line of its own on the board, so one stuck worker shows
// although the other goes on.
type billing struct {
	consumer jetstream.Consumer
	every    time.Duration // between two readings of the lag
	handle   handler
	backlog  func(context.Context) (int64, error)
}

// run starts the workers and waits for all of them. One that faults ends the
// others: the supervisor starts the pool again as a whole.
func (b *billing) run(ctx context.Context, r *board.Reporter) error {
	pool, ctx := errgroup.WithContext(ctx)
	for _, name := range []string{"a", "b"} {
		w, err := r.Worker(name)
		if err != nil {
			return err
		}
		pool.Go(func() error {
			// The helper turns a panic of this goroutine into a fault of the
			// processor that names the worker. Without it the panic would end
			// the program.
			return liveness.Run(ctx, w, func(ctx context.Context) error { return b.work(ctx, w) })
		})
	}
	pool.Go(func() error { return b.watchLag(ctx, r) })
	return pool.Wait()
}

// work waits for messages for as long as it takes. Idle says so: a quiet night
// is not a wedge.
func (b *billing) work(ctx context.Context, w *board.Reporter) error {
	messages, err := b.consumer.Messages(jetstream.PullMaxMessages(1))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		w.Idle()
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			w.Busy()
			err = process(ctx, msg, b.handle)
			w.Done()
		}
		if lost(err) != nil || errors.Is(err, jetstream.ErrMsgIteratorClosed) {
			return err
		}
		if err != nil {
			wait(ctx, b.every)
		}
	}
}

// watchLag reports the pool's lag. SetLag is not a beat, so this loop cannot
// make a stuck pool look alive.
func (b *billing) watchLag(ctx context.Context, r *board.Reporter) error {
	for ctx.Err() == nil {
		if behind, err := b.backlog(ctx); err == nil {
			r.SetLag(behind)
		}
		wait(ctx, b.every)
	}
	return nil
}
