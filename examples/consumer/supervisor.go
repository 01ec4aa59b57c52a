package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
)

// loop is a processor's work. It goes on until ctx ends; nil means that it
// ended on purpose, an error or a panic that it cannot go on.
type loop func(ctx context.Context, r *board.Reporter) error

// supervisor runs loops and owns their reporters: it alone may begin a new
// incarnation of a processor.
type supervisor struct {
	board *board.Board
	wg    sync.WaitGroup

	mu    sync.Mutex
	lives map[string]*life // by key; gone when the loop ended on purpose
}

// life is one processor under supervision.
type life struct {
	restart chan struct{}      // a token: restart the faulted loop
	resume  chan struct{}      // a token: end the standby
	halt    context.CancelFunc // ends the running loop, for a standby; nil while none runs
	halted  bool
	faulted bool
}

var (
	errNotRunning = errors.New("is not running")
	errNotFaulted = errors.New("is not faulted, so there is nothing to restart")
	errNotStandby = errors.New("is not on standby")
)

func newSupervisor(b *board.Board) *supervisor {
	return &supervisor{board: b, lives: map[string]*life{}}
}

// start registers a processor and runs its loop until ctx ends.
func (s *supervisor) start(ctx context.Context, spec board.Spec, run loop) error {
	r, err := s.board.Register(spec)
	if err != nil {
		return err
	}
	l := &life{restart: make(chan struct{}, 1), resume: make(chan struct{}, 1)}
	s.mu.Lock()
	s.lives[r.Key()] = l
	s.mu.Unlock()
	s.wg.Go(func() { s.supervise(ctx, l, r, run) })
	return nil
}

// supervise runs one incarnation after the other.
func (s *supervisor) supervise(ctx context.Context, l *life, r *board.Reporter, run loop) {
	key := r.Key()
	// Close takes the processor off the board, unless it is faulted.
	defer func() { r.Close() }()
	defer func() {
		s.mu.Lock()
		delete(s.lives, key)
		s.mu.Unlock()
	}()
	for {
		err, halted := s.once(ctx, l, r, run)
		switch {
		case ctx.Err() != nil, err == nil && !halted:
			return
		case halted:
			r = r.Restart() // the halted loop reported Stop; only Restart leaves that
			r.Standby()
			if !await(ctx, l.resume) {
				return
			}
			s.set(l, func() { l.halted = false })
			r.Resume() // same incarnation
		default: // faulted; the cause is on the board
			s.set(l, func() { l.faulted = true })
			if !await(ctx, l.restart) {
				return
			}
			s.set(l, func() { l.faulted = false })
			r = r.Restart() // a new incarnation; the old reporter now writes into the void
		}
	}
}

// once runs the loop once. halted says that it ended because it was told to
// stand by.
func (s *supervisor) once(ctx context.Context, l *life, r *board.Reporter, run loop) (err error, halted bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.set(l, func() { l.halt = cancel })
	// The helper turns a panic or an error into a fault, and the end of ctx or
	// a nil error into a stop.
	err = liveness.Run(ctx, r, func(ctx context.Context) error { return run(ctx, r) })
	s.set(l, func() { l.halt, halted = nil, l.halted })
	return err, halted
}

// restart begins a new incarnation of a faulted processor.
func (s *supervisor) restart(key string) error {
	return s.command(key, func(l *life) error {
		if !l.faulted {
			return errNotFaulted
		}
		leave(l.restart)
		return nil
	})
}

// standby ends the processor's loop and keeps it ready to resume.
func (s *supervisor) standby(key string) error {
	return s.command(key, func(l *life) error {
		if l.halted {
			return nil
		}
		if l.halt == nil {
			return errNotRunning
		}
		l.halted = true
		l.halt()
		return nil
	})
}

// resume ends a standby.
func (s *supervisor) resume(key string) error {
	return s.command(key, func(l *life) error {
		if !l.halted {
			return errNotStandby
		}
		leave(l.resume)
		return nil
	})
}

// running says whether the processor is under supervision.
func (s *supervisor) running(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lives[key] != nil
}

func (s *supervisor) command(key string, do func(*life) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lives[key]
	if l == nil {
		return fmt.Errorf("%s %w", key, errNotRunning)
	}
	if err := do(l); err != nil {
		return fmt.Errorf("%s %w", key, err)
	}
	return nil
}

func (s *supervisor) set(l *life, change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// leave puts a token there; one is enough.
func leave(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// await takes a token; false when ctx ends first.
func await(ctx context.Context, c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-ctx.Done():
		return false
	}
}
