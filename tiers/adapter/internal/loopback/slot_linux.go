package loopback

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head"
)

// slot is the room for one connection: first its head grows in it, then, once
// replied, what follows passes through.
type slot struct {
	fd      int       // none while the slot is free
	order   uint64    // grows from connection to connection
	until   time.Time // when the connection is closed, whatever it does
	replied bool
	length  int // of the head so far, or of what was thrown away
	data    [head.MaxBytes]byte
}

func (s *slot) open(fd int, order uint64, until time.Time) {
	s.fd, s.order, s.until = fd, order, until
	s.replied, s.length = false, 0
}

func (s *slot) close() {
	if s.fd != none {
		closeAll(s.fd)
		s.fd = none
	}
}

// advance takes in what a connection has sent.
func (e *pollEngine) advance(s *slot, now time.Time) {
	if s.replied {
		e.drain(s)
		return
	}
	n, err := unix.Read(s.fd, s.data[s.length:])
	switch {
	case again(err):
		return
	case err != nil, n == 0 && s.length == 0:
		e.drop(s)
		return
	}
	s.length += n
	req, status := e.rules.Parse(s.data[:s.length])
	switch {
	case status == head.More && n > 0:
		return
	case status == head.More: // the client has shut its side in the middle of the head
		status = head.Malformed
	case s.length == head.MaxBytes && status != head.TooLarge && unread(s.fd):
		status = head.Malformed // bytes after a head that fills the slot
	}
	e.send(s, e.reply(req, status), now)
}

// send writes the reply and says that nothing follows it.
func (e *pollEngine) send(s *slot, reply []byte, now time.Time) {
	n, err := unix.SendmsgN(s.fd, reply, nil, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
	if err != nil || n != len(reply) || unix.Shutdown(s.fd, unix.SHUT_WR) != nil {
		e.drop(s)
		return
	}
	s.replied, s.length, s.until = true, 0, now.Add(e.patience)
	e.drain(s)
}

// drain throws away what a client sends after the reply, until it closes or has
// sent too much.
func (e *pollEngine) drain(s *slot) {
	n, err := unix.Read(s.fd, s.data[:])
	if again(err) {
		return
	}
	s.length += n
	if err != nil || n == 0 || s.length > drainBytes {
		e.drop(s)
	}
}

// unread tells whether the client has sent more.
func unread(fd int) bool {
	var next [1]byte
	n, _, err := unix.Recvfrom(fd, next[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
	return err == nil && n > 0
}

func again(err error) bool {
	return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR)
}

// table is all the memory for connections that there is.
type table struct {
	slots  [slots]slot
	opened uint64
}

func (t *table) init() {
	for i := range t.slots {
		t.slots[i].fd = none
	}
}

// next numbers the connections.
func (t *table) next() uint64 {
	t.opened++
	return t.opened
}

// free returns a slot that nobody has, or nil.
func (t *table) free() *slot {
	for i := range t.slots {
		if t.slots[i].fd == none {
			return &t.slots[i]
		}
	}
	return nil
}

// dispensable returns the connection to give up first: the oldest that has its
// reply, or else the oldest, or nil when there is none.
func (t *table) dispensable() *slot {
	var first *slot
	for i := range t.slots {
		s := &t.slots[i]
		if s.fd == none {
			continue
		}
		if first == nil || s.replied && !first.replied || s.replied == first.replied && s.order < first.order {
			first = s
		}
	}
	return first
}
