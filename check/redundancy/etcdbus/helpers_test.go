package etcdbus

import (
	"context"
	"sync"
	"testing"
	"time"
)

// testLimit is how long a test waits for what takes a moment.
const testLimit = 60 * time.Second

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(testLimit); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, testLimit)
		}
	}
}

// subscriber is one that does not subscribe again when it could not go on.
type subscriber struct {
	returned chan error

	mu    sync.Mutex
	heard map[string]bool
}

// subscribe returns a subscriber that ends with the test.
func subscribe(t *testing.T, bus *Bus) *subscriber {
	t.Helper()
	s := &subscriber{returned: make(chan error, 1), heard: map[string]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.returned <- bus.Subscribe(ctx, func(message []byte) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.heard[string(message)] = true
		})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return s
}

func (s *subscriber) has(message string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard[message]
}

// deliver publishes until it was heard.
func deliver(t *testing.T, bus *Bus, message string, s *subscriber) {
	t.Helper()
	until(t, message+" is heard", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_ = bus.Publish(ctx, "test", []byte(message))
		return s.has(message)
	})
}

// wantReturned wants that the subscription has ended.
func (s *subscriber) wantReturned(t *testing.T) error {
	t.Helper()
	select {
	case err := <-s.returned:
		return err
	case <-time.After(testLimit):
		t.Fatal("Subscribe goes on")
		return nil
	}
}
