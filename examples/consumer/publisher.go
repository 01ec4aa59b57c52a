package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// publisher plays the shop's customers: it places an order at a steady pace.
// It is not a processor; in an application the orders come from elsewhere.
type publisher struct {
	js     jetstream.JetStream
	every  time.Duration
	placed atomic.Uint64

	mu      sync.Mutex // held while an order is placed
	stopped bool
}

func (p *publisher) run(ctx context.Context) error {
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := p.place(ctx); err != nil && ctx.Err() == nil {
			return fmt.Errorf("publisher: %w", err)
		}
	}
}

func (p *publisher) place(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return nil
	}
	n := p.placed.Load()
	body, err := json.Marshal(order{Customer: fmt.Sprintf("customer-%d", n%7), Cents: 100 + int64(n%50)*5}) //nolint:gosec // below 50
	if err != nil {
		return err
	}
	if _, err := p.js.Publish(ctx, subject, body); err != nil {
		return err
	}
	p.placed.Add(1)
	return nil
}

// stop ends the orders and returns how many were placed.
func (p *publisher) stop() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	return p.placed.Load()
}
