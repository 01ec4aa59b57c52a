package main

import (
	"context"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/nats-io/nats.go/jetstream"
)

// batchSize is how many messages one turn takes at most.
const batchSize = 16

// puller is the loop that most consumers are: fetch, handle, report, again.
type puller struct {
	consumer jetstream.Consumer
	every    time.Duration // how long one fetch waits for messages
	handle   handler
	backlog  func(context.Context) (int64, error)
}

// run goes round until ctx ends. It never waits longer than p.every for input,
// so it needs no Idle: a beat a turn is enough, and a fetch that never returns
// shows as a loop that does not beat.
func (p *puller) run(ctx context.Context, r *board.Reporter) error {
	for ctx.Err() == nil {
		if err := p.turn(ctx, r); lost(err) != nil {
			return err // the loop ends, and liveness.Run makes a fault of it
		} else if err != nil {
			wait(ctx, p.every)
		}
		// The lag comes from the server, not from what was fetched: it also
		// grows while the handler gets nowhere.
		if behind, err := p.backlog(ctx); err == nil {
			r.BeatLag(behind)
		} else {
			r.Beat() // the loop goes round; how far behind, nobody knows
		}
	}
	return nil
}

// turn fetches what is there and handles it, one unit of work a message.
func (p *puller) turn(ctx context.Context, r *board.Reporter) error {
	batch, err := p.consumer.Fetch(batchSize, jetstream.FetchMaxWait(p.every))
	if err != nil {
		return err
	}
	for msg := range batch.Messages() {
		if ctx.Err() != nil {
			_ = msg.Nak() // somebody else may have it at once
			continue
		}
		r.Busy() // from here the unit's own limit counts
		err = process(ctx, msg, p.handle)
		r.Done() // a beat
		if err != nil {
			return err
		}
	}
	return batch.Error()
}
