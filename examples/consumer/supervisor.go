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

// supervisor runs loops and owns their reporters: it alone begins a new
// incarnation of a processor. It restarts nothing by itself.
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
	halt    context.CancelFunc // ends the loop in progress
	halted  bool               // by standby
}

var (
	errNotRunning = errors.New("is not running")
	errNotFaulted = errors.New("is not faulted: there is nothing to restart")
	errNotStandby = errors.New("is not on standby: there is nothing to resume")
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
	l := &life{restart: make(chan struct{}, 1), resume: make(chan struct{}, 1), halt: func() {}}
	s.locked(func() { s.lives[r.Key()] = l })
	s.wg.Go(func() {
		r := s.supervise(ctx, l, r, run)
		s.locked(func() { delete(s.lives, r.Key()) })
		r.Close() // takes the processor off the board, unless it is faulted
	})
	return nil
}

// supervise runs one life after the other, and returns the last reporter.
func (s *supervisor) supervise(ctx context.Context, l *life, r *board.Reporter, run loop) *board.Reporter {
	for {
		s.once(ctx, l, r, run)
		switch {
		case ctx.Err() != nil:
			return r
		case s.faulted(r.Key()):
			if !await(ctx, l.restart) {
				return r
			}
			// The old reporter, and every worker of it, writes into the void
			// from here on: what is left of the old loop revives nothing.
			s.locked(func() {
				r = r.Restart()
				l.halted = false
				take(l.restart) // one that came while this one was served
				take(l.resume)  // one that came before the fault
			})
		case s.halted(l):
			r = r.Restart() // the loop reported Stop, which only Restart leaves
			r.Standby()
			if !await(ctx, l.resume) {
				return r
			}
			s.locked(func() {
				l.halted = false
				take(l.resume)
			})
			r.Resume() // the same incarnation goes on
		default:
			return r // ended on purpose
		}
	}
}

// once runs the loop once. The helper turns a panic or an error into a fault,
// and the end of the context or a nil error into a stop, so how it ended is on
// the board.
func (s *supervisor) once(ctx context.Context, l *life, r *board.Reporter, run loop) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.locked(func() {
		l.halt = cancel
		if l.halted { // since the last loop ended
			cancel()
		}
	})
	_ = liveness.Run(ctx, r, func(ctx context.Context) error { return run(ctx, r) })
}

// restart begins a new incarnation of a faulted processor, as soon as the old
// loop has ended.
func (s *supervisor) restart(key string) error {
	return s.command(key, func(l *life) error {
		if !s.faulted(key) {
			return errNotFaulted
		}
		leave(l.restart)
		return nil
	})
}

// standby ends the processor's loop and keeps it ready to resume. A faulted one
// stays faulted.
func (s *supervisor) standby(key string) error {
	return s.command(key, func(l *life) error {
		if s.faulted(key) {
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
func (s *supervisor) running(key string) (yes bool) {
	s.locked(func() { yes = s.lives[key] != nil })
	return yes
}

func (s *supervisor) halted(l *life) (yes bool) {
	s.locked(func() { yes = l.halted })
	return yes
}

func (s *supervisor) faulted(key string) bool {
	o, _ := s.board.Get(key)
	return o.State == board.Faulted
}

func (s *supervisor) command(key string, do func(*life) error) (err error) {
	s.locked(func() {
		if l := s.lives[key]; l == nil {
			err = errNotRunning
		} else {
			err = do(l)
		}
	})
	if err != nil {
		return fmt.Errorf("%s %w", key, err)
	}
	return nil
}

func (s *supervisor) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// leave puts a token there; one is enough.
func leave(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take takes a token if there is one.
func take(c <-chan struct{}) {
	select {
	case <-c:
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
