package main

import (
	"context"
	"errors"
	"sync"
)

// hand is the demo's hand on one processor: it makes the next unit of work hang
// or panic, and can put another number in place of the real lag. It wraps the
// handler from outside, so the loops themselves know nothing of it.
type hand struct {
	mu      sync.Mutex
	wedge   int           // units of work that are still to hang
	freed   chan struct{} // closed to free those that hang
	frozen  bool          // the next reading of the lag is to hang
	explode bool
	lag     *int64
}

func newHand() *hand { return &hand{freed: make(chan struct{})} }

var errTold = errors.New("told to fault")

// around wraps a unit of work. A unit that hangs ignores its context: that is
// what makes it a wedge, and no timeout or shutdown would get it out.
func (h *hand) around(next handler) handler {
	return func(ctx context.Context, m message) error {
		h.mu.Lock()
		hang, explode, freed := h.wedge > 0, h.explode, h.freed
		if hang {
			h.wedge--
		} else {
			h.explode = false
		}
		h.mu.Unlock()
		switch {
		case hang:
			<-freed
		case explode:
			panic(errTold)
		}
		return next(ctx, m)
	}
}

// aroundLag wraps the reading of the lag, where a loop that polls can be made to
// hang between two units of work.
func (h *hand) aroundLag(next func(context.Context) (int64, error)) func(context.Context) (int64, error) {
	return func(ctx context.Context) (int64, error) {
		h.mu.Lock()
		lag, frozen, freed := h.lag, h.frozen, h.freed
		h.frozen = false
		h.mu.Unlock()
		if frozen {
			<-freed
		}
		if lag != nil {
			return *lag, nil
		}
		return next(ctx)
	}
}

// hang makes one more unit of work hang until release.
func (h *hand) hang() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wedge++
}

// freeze makes the next reading of the lag hang until release.
func (h *hand) freeze() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.frozen = true
}

// release frees everything that hangs, or was going to.
func (h *hand) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wedge, h.frozen = 0, false
	close(h.freed)
	h.freed = make(chan struct{})
}

// fault makes the next unit of work panic.
func (h *hand) fault() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.explode = true
}

// calm takes back a fault that no unit of work has met yet.
func (h *hand) calm() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.explode = false
}

// setLag reports n in place of the real lag; nil goes back to the real one.
func (h *hand) setLag(n *int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lag = n
}
