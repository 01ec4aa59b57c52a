package loopback

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// pollEngine serves from one poll loop over raw non-blocking sockets.
type pollEngine struct {
	*service
	bound    netip.AddrPort
	wakeup   int // an eventfd
	listener int
	reserve  reserve
	table    table
	// resume is when the listener is looked at again, zero for now.
	resume time.Time
}

// newEngine binds the configured address.
func newEngine(s *service) (engine, error) { return newPollEngine(s) }

func newPollEngine(s *service) (engine, error) {
	listener, bound, err := listenOn(s.config.Listen)
	if err != nil {
		return nil, fmt.Errorf("adapter: listen %v: %w", s.config.Listen, err)
	}
	wakeup, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		closeAll(listener)
		return nil, fmt.Errorf("adapter: listen %v: eventfd: %w", s.config.Listen, err)
	}
	e := &pollEngine{service: s, bound: bound, wakeup: wakeup, listener: listener, reserve: none}
	e.reserve.take()
	e.table.init()
	makeRuntimePoller()
	return e, nil
}

func (e *pollEngine) addr() netip.AddrPort { return e.bound }

// wake makes poll return. An eventfd takes 2^64-2 such writes before one fails.
func (e *pollEngine) wake() { _, _ = unix.Write(e.wakeup, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

func (e *pollEngine) release() {
	for i := range e.table.slots {
		e.table.slots[i].close()
	}
	e.reserve.give()
	closeAll(e.listener, e.wakeup)
}

// serve polls until it is woken. Whoever is connected comes before whoever wants
// to be: a newcomer may cost an old head its slot, and that one's last bytes may
// be here.
func (e *pollEngine) serve() error {
	var fds [2 + slots]unix.PollFd
	for {
		wait := e.watch(&fds, time.Now())
		switch _, err := unix.Poll(fds[:], wait); {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("adapter: serve %v: poll: %w", e.bound, err)
		}
		if fds[0].Revents != 0 {
			return nil
		}
		now := time.Now()
		for i := range e.table.slots {
			if fds[2+i].Revents != 0 {
				e.advance(&e.table.slots[i], now)
			}
		}
		e.expire(now)
		if fds[1].Revents != 0 {
			if err := e.accept(now); err != nil {
				return fmt.Errorf("adapter: serve %v: accept: %w", e.bound, err)
			}
		}
	}
}

// watch says what to poll, and for how many milliseconds: -1 is for ever.
func (e *pollEngine) watch(fds *[2 + slots]unix.PollFd, now time.Time) int {
	if !e.resume.After(now) {
		e.resume = time.Time{}
	}
	next := e.resume
	fds[0] = unix.PollFd{Fd: int32(e.wakeup), Events: unix.POLLIN}
	fds[1] = unix.PollFd{Fd: int32(e.listener), Events: unix.POLLIN}
	if !e.resume.IsZero() {
		fds[1].Fd = none // poll skips it
	}
	for i := range e.table.slots {
		s := &e.table.slots[i]
		fds[2+i] = unix.PollFd{Fd: int32(s.fd), Events: unix.POLLIN}
		if s.fd != none && (next.IsZero() || s.until.Before(next)) {
			next = s.until
		}
	}
	if next.IsZero() {
		return -1
	}
	// Rounded up: a poll that ends too early would be repeated at once.
	return int(max(0, next.Sub(now)+time.Millisecond-1) / time.Millisecond)
}

// expire closes the connections whose time is over.
func (e *pollEngine) expire(now time.Time) {
	for i := range e.table.slots {
		s := &e.table.slots[i]
		if s.fd == none || now.Before(s.until) {
			continue
		}
		if !s.replied {
			e.tally.expired.Add(1)
		}
		e.drop(s)
	}
}

// drop closes a connection and makes up for a reserve that had to be given.
func (e *pollEngine) drop(s *slot) {
	s.close()
	e.reserve.take()
}
