package gateway

import (
	"context"
	"sync"
	"time"
)

// worker carries out commands one at a time, in the order in which they came: the
// system behind the gateway has one thread, and nothing that has been handed to it
// can be taken back. So a command whose caller has given up is carried out all the
// same, and those behind it wait for that.
type worker struct {
	command, item time.Duration // how long a command takes, and each of its items

	mu      sync.Mutex
	queue   []command
	arrived chan struct{} // has an element when the queue may have become longer
	stalled chan struct{} // not nil during a stall; closed at its end
	running bool
	peak    int // the largest number of commands that were queued
	done    int

	// Of the worker's goroutine only.
	until        time.Time // it is busy with what it has begun
	housekeeping []func()
}

// command is what one request wants done.
type command struct {
	items int
	step  func(index int)
	done  chan struct{}
}

func newWorker(perCommand, perItem time.Duration) *worker {
	return &worker{command: perCommand, item: perItem, arrived: make(chan struct{}, 1)}
}

// do has the worker call step for every item, and returns when that is done or when
// ctx ends, whichever is first.
func (w *worker) do(ctx context.Context, items int, step func(index int)) error {
	c := command{items: items, step: step, done: make(chan struct{})}
	w.mu.Lock()
	w.queue = append(w.queue, c)
	w.peak = max(w.peak, w.queued())
	w.mu.Unlock()
	select {
	case w.arrived <- struct{}{}:
	default: // it knows already
	}
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run carries out commands until ctx ends.
func (w *worker) run(ctx context.Context) {
	w.until = time.Now()
	for {
		c, found := w.take()
		if !found {
			select {
			case <-w.arrived:
				w.until = time.Now()
				continue
			case <-ctx.Done():
				return
			}
		}
		if !w.carryOut(ctx, c) {
			return
		}
	}
}

// take begins the oldest command.
func (w *worker) take() (c command, found bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return command{}, false
	}
	c, w.queue, w.running = w.queue[0], w.queue[1:], true
	return c, true
}

// carryOut does a command, and tells whether ctx is still on. The worker's own
// housekeeping, which brings changes to those who wait for them, goes on between
// the items of a long command.
func (w *worker) carryOut(ctx context.Context, c command) bool {
	if !w.await(ctx) || !w.spend(ctx, w.command) {
		return false
	}
	for i := range c.items {
		if !w.spend(ctx, w.item) {
			return false
		}
		c.step(i)
		w.keepHouse()
	}
	w.mu.Lock()
	w.running = false
	w.done++
	w.mu.Unlock()
	close(c.done)
	return true
}

// later leaves f to the housekeeping. Only steps may call it.
func (w *worker) later(f func()) { w.housekeeping = append(w.housekeeping, f) }

func (w *worker) keepHouse() {
	for _, f := range w.housekeeping {
		f()
	}
	w.housekeeping = w.housekeeping[:0]
}

// spend keeps the worker busy for d, and tells whether ctx is still on. Timers may be
// late by more than d; what one was late by, the next is shorter by.
func (w *worker) spend(ctx context.Context, d time.Duration) bool {
	w.until = w.until.Add(d)
	return sleep(ctx, time.Until(w.until))
}

// await waits for the end of a stall.
func (w *worker) await(ctx context.Context) bool {
	for {
		w.mu.Lock()
		stalled := w.stalled
		w.mu.Unlock()
		if stalled == nil {
			return ctx.Err() == nil
		}
		select {
		case <-stalled:
			w.until = time.Now()
		case <-ctx.Done():
			return false
		}
	}
}

// stall begins or ends a stall, during which no command goes on.
func (w *worker) stall(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case on && w.stalled == nil:
		w.stalled = make(chan struct{})
	case !on && w.stalled != nil:
		close(w.stalled)
		w.stalled = nil
	}
}

// queued counts the commands that are not done. The lock is held.
func (w *worker) queued() int {
	if w.running {
		return len(w.queue) + 1
	}
	return len(w.queue)
}

// sleep waits, and tells whether ctx is still on.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
