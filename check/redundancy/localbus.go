package redundancy

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// LocalBus is a Bus within one process: for tests, and for several nodes that one
// process runs. It loses nothing but what a subscriber is too slow for, and tells
// the rest in the order in which it was published. The zero LocalBus is ready to
// use; a nil one refuses.
type LocalBus struct {
	mu      sync.Mutex
	waiting map[*letterbox]struct{}
}

// NewLocalBus returns a LocalBus. It starts nothing.
func NewLocalBus() *LocalBus { return new(LocalBus) }

var errNoBus = errors.New("redundancy: local bus nil: must not be nil")

// Publish puts a copy of the message before each subscriber. It never waits.
func (b *LocalBus) Publish(ctx context.Context, topic string, message []byte) error {
	if b == nil {
		return errNoBus
	}
	if err := CheckMessage(topic, message); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for box := range b.waiting {
		box.put(letter{topic, slices.Clone(message)})
	}
	return nil
}

// Subscribe calls receive for each message until ctx ends. A subscriber that has
// 256 messages waiting loses the oldest of the topic that the next one is of, or
// the oldest of all when there is none.
func (b *LocalBus) Subscribe(ctx context.Context, receive func(message []byte)) error {
	if b == nil {
		return errNoBus
	}
	box := newLetterbox()
	b.add(box)
	defer b.remove(box)
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-box.filled:
		}
		for ctx.Err() == nil {
			next, some := box.take()
			if !some {
				break
			}
			receive(next.message)
		}
	}
}

func (b *LocalBus) add(box *letterbox) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = map[*letterbox]struct{}{}
	}
	b.waiting[box] = struct{}{}
}

func (b *LocalBus) remove(box *letterbox) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, box)
}
