package loopback

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// accept takes one connection from the queue into a slot, and reads it at once,
// since its request has often come with it. An error means that the listener
// itself is broken.
func (e *pollEngine) accept(now time.Time) error {
	fd, from, err := accept4(e.listener)
	if starved(err) {
		e.tally.starved.Add(1)
		if e.makeRoom(now) {
			fd, from, err = accept4(e.listener)
		}
		if err != nil {
			e.reserve.take() // the connection that it was given for is not here
		}
	}
	switch {
	case err == nil:
	case broken(err):
		return err
	case gone(err):
		return nil
	default: // no descriptors, no memory, a packet filter's no: none passes by trying
		e.tally.paused.Add(1)
		e.resume = now.Add(pause)
		return nil
	}
	e.tally.accepted.Add(1)
	if !e.config.admits(addrPort(from).Addr()) {
		e.tally.foreign.Add(1)
		closeAll(fd)
		e.reserve.take()
		return nil
	}
	s := e.place(now)
	s.open(fd, e.table.next(), now.Add(e.patience))
	e.advance(s, now)
	return nil
}

// place returns a free slot, made free if there was none.
func (e *pollEngine) place(now time.Time) *slot {
	s := e.table.free()
	if s == nil {
		s = e.table.dispensable()
		e.evict(s, now)
	}
	return s
}

// makeRoom frees a descriptor: the reserve, or the one of the connection that a
// full table would give up.
func (e *pollEngine) makeRoom(now time.Time) bool {
	if e.reserve.give() {
		return true
	}
	s := e.table.dispensable()
	if s == nil {
		return false
	}
	e.evict(s, now)
	e.reserve.give() // which may have been taken back just now
	return true
}

// evict closes a connection for another one. What it has sent since the last poll
// is read before that: a client that connects and asks at once, as a probe does,
// then has its reply however many newcomers there are, unless they overtake it
// between the two.
func (e *pollEngine) evict(s *slot, now time.Time) {
	if !s.replied {
		e.advance(s, now)
	}
	if s.fd != none && !s.replied {
		e.tally.evicted.Add(1)
	}
	s.close()
}

func accept4(listener int) (int, unix.Sockaddr, error) {
	return unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
}

// starved is the lack of a descriptor in this process or in the system.
func starved(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE)
}

// gone is a connection that is no longer there, and has left the queue.
func gone(err error) bool {
	return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.ECONNABORTED) || errors.Is(err, unix.EINTR)
}

// broken is a listener that will never accept again.
func broken(err error) bool {
	return errors.Is(err, unix.EBADF) || errors.Is(err, unix.EINVAL) ||
		errors.Is(err, unix.ENOTSOCK)
}
