package loopback

import (
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head"
)

// What a server has room and time for (S2.15).
const (
	slots    = 8
	backlog  = 2
	deadline = 500 * time.Millisecond // for a head, and again for the reply
	pause    = 50 * time.Millisecond  // for a listener that cannot accept
)

// drainBytes is how much of what follows a head is thrown away before the
// connection is closed, reset or not.
const drainBytes = 64 << 10

// errServed refuses a second Serve.
var errServed = errors.New("adapter: Serve: called more than once")

// Server is a bound listener and what it serves. Its methods are safe for
// concurrent use, and a nil Server serves nothing.
type Server struct {
	service *service
	engine  engine
	mu      sync.Mutex
	stage   stage
}

// engine does the work of a server. Its life is the Server's affair: serve is
// called once at most, wake only while serve runs, and release once at the end.
type engine interface {
	addr() netip.AddrPort
	serve() error // until wake
	wake()
	release()
}

// stage is how far the life of a server has come.
type stage int

const (
	bound    stage = iota // listening, and nobody serves
	serving               // Serve is running
	stopping              // Serve is about to return
	over                  // every descriptor is closed
)

// Listen binds and listens. The connections wait until Serve is called.
func Listen(c Config) (*Server, error) {
	c, err := c.validate()
	if err != nil {
		return nil, err
	}
	return listen(c, deadline, newEngine)
}

// listen makes a server of any configuration with any patience and engine.
func listen(c Config, patience time.Duration, with func(*service) (engine, error)) (*Server, error) {
	s := &service{config: c, replies: newReplies(), patience: patience}
	e, err := with(s)
	if err != nil {
		return nil, err
	}
	s.rules = head.Rules{Host: e.addr().String(), Paths: c.Paths}
	return &Server{service: s, engine: e}, nil
}

// Addr is the address that is bound, with the port that was free when 0 was asked
// for.
func (s *Server) Addr() netip.AddrPort {
	if s == nil {
		return netip.AddrPort{}
	}
	return s.engine.addr()
}

// Serve serves in the caller's goroutine until Stop, and then returns nil with
// everything closed. Without a Stop it returns only when the listener itself is
// broken. It may be called once.
func (s *Server) Serve() error {
	if s == nil {
		return nil
	}
	if err, done := s.begin(); done {
		return err
	}
	err := s.engine.serve()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.engine.release()
	if s.stage == stopping {
		err = nil
	}
	s.stage = over
	return err
}

// begin makes the caller the one who serves, unless there is nothing to serve.
func (s *Server) begin() (err error, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.stage {
	case bound:
		s.stage = serving
		return nil, false
	case over:
		return nil, true
	}
	return errServed, true
}

// Stop makes Serve return at once, in the middle of a head if need be. Before
// Serve it closes the listener, and Serve returns nil without serving. Any
// goroutine may call it, any number of times; it does not wait.
func (s *Server) Stop() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.stage {
	case bound:
		s.engine.release()
		s.stage = over
	case serving:
		s.engine.wake()
		s.stage = stopping
	}
}

// Counters returns what the server has done so far.
func (s *Server) Counters() Counters {
	if s == nil {
		return Counters{}
	}
	return s.service.tally.counters()
}
