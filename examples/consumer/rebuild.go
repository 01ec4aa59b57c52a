package main

import (
	"context"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/nats-io/nats.go/jetstream"
)

// rebuild reads the whole stream from the first message into new accounts,
// beside the live billing, and replaces the old ones when it has caught up. It
// is registered with Spec.Rebuild, so its key is billing::rebuild::2: being far
// behind is normal for it, standing still is not.
type rebuild struct {
	stream jetstream.Stream
	live   *accounts
	every  time.Duration
	// around may wrap the unit of work.
	around func(handler) handler
}

// run returns nil when the rebuild is done. That ends the processor on purpose:
// liveness.Run reports Stop, the supervisor closes it, and nothing of it stays
// on the board.
func (b *rebuild) run(ctx context.Context, r *board.Reporter) error {
	target, err := b.head(ctx)
	if err != nil {
		return err
	}
	// No durable name: the server drops this cursor when nobody reads it.
	consumer, err := b.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverAllPolicy,
		AckPolicy:         jetstream.AckExplicitPolicy,
		InactiveThreshold: 10 * time.Second,
	})
	if err != nil {
		return err
	}
	next := newAccounts()
	var last uint64
	handle := b.around(func(ctx context.Context, m message) error {
		last = max(last, m.Seq)
		return next.add(ctx, m)
	})
	for last < target && ctx.Err() == nil {
		batch, err := consumer.Fetch(batchSize, jetstream.FetchMaxWait(b.every))
		if err != nil {
			return err
		}
		for msg := range batch.Messages() {
			r.Busy()
			if err := process(ctx, msg, handle); err != nil {
				return err
			}
			r.Done()
		}
		r.BeatLag(int64(target - min(last, target))) //nolint:gosec // counts of messages
	}
	if ctx.Err() == nil {
		b.live.replace(next, last)
	}
	return nil
}

// head is the sequence of the newest message: a rebuild ends where the stream
// ended when it began.
func (b *rebuild) head(ctx context.Context) (uint64, error) {
	info, err := b.stream.Info(ctx)
	if err != nil {
		return 0, err
	}
	return info.State.LastSeq, nil
}
