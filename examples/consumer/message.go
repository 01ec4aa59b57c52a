package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// order is the event that the shop's customers cause.
type order struct {
	Number   uint64 `json:"number,omitempty"` // of those that came in at the door
	Customer string `json:"customer"`
	Cents    int64  `json:"cents"`
}

// message is one order as it stands in the stream. Seq numbers them from 1 and
// is what makes handling a redelivered message harmless.
type message struct {
	Seq   uint64
	Order order
}

// handler does one unit of work.
type handler func(ctx context.Context, m message) error

// redeliverAfter is how long a message that could not be handled waits for its
// next turn.
const redeliverAfter = 250 * time.Millisecond

// process hands one delivered message to handle and tells the server how it
// went. An error of the handler is not an error of the loop: the message comes
// back, and the loop goes on.
func process(ctx context.Context, msg jetstream.Msg, handle handler) error {
	meta, err := msg.Metadata()
	if err != nil {
		return err
	}
	m := message{Seq: meta.Sequence.Stream}
	if err := json.Unmarshal(msg.Data(), &m.Order); err != nil {
		// Coming back would not make it readable.
		return msg.TermWithReason("not an order")
	}
	handled := false
	defer func() {
		if !handled { // also after a panic, which ends the loop and not the message
			_ = msg.NakWithDelay(redeliverAfter)
		}
	}()
	if handle(ctx, m) != nil {
		return nil
	}
	handled = true
	return msg.Ack()
}

// backlog is how many messages the consumer has yet to handle: those the
// server has not delivered, and those delivered and not acknowledged.
func backlog(ctx context.Context, c jetstream.Consumer) (int64, error) {
	// A question with a deadline: a loop that asks it without one would be as
	// stuck as the server.
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	info, err := c.Info(ctx)
	if err != nil {
		return 0, err
	}
	return int64(info.NumPending) + int64(info.NumAckPending), nil //nolint:gosec // counts of messages
}

// errLost ends a loop whose subscription cannot come back by itself.
var errLost = errors.New("subscription lost")

// lost says whether err means that waiting will not help. A server that is
// away for a while is not lost: the NATS check reports it, and the loop goes
// on trying.
func lost(err error) error {
	for _, final := range []error{nats.ErrConnectionClosed, jetstream.ErrConsumerDeleted, jetstream.ErrConsumerNotFound} {
		if errors.Is(err, final) {
			return fmt.Errorf("%w: %w", errLost, err)
		}
	}
	return nil
}

// wait pauses a loop, less long when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
