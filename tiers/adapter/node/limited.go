package node

import (
	"errors"
	"io"
	"net"
	"sync"
)

// slots are places, each of which holds one thing in use. The capacity is the
// limit.
type slots chan struct{}

// limited is a listener that hands out a connection only when there is a slot for
// it. Listeners may share their slots. Of those that have to wait, one a listener
// has been accepted and the rest are in the kernel's queue: to accept a connection
// only to close it costs both sides more than to leave it there, and the client
// more than the wait when there is room again soon.
type limited struct {
	net.Listener
	slots  slots
	done   chan struct{} // closed by Close
	closer sync.Once
	err    error // of Close
}

func newLimited(l net.Listener, s slots) *limited {
	return &limited{Listener: l, slots: s, done: make(chan struct{})}
}

// Accept waits for a connection, then for room.
func (l *limited) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	select {
	case <-l.done:
		_ = conn.Close()
		return nil, net.ErrClosed
	default:
	}
	select {
	case l.slots <- struct{}{}:
		return &counted{Conn: conn, slots: l.slots}, nil
	case <-l.done:
		_ = conn.Close()
		return nil, net.ErrClosed
	}
}

// Close lets an Accept that waits go, too.
func (l *limited) Close() error {
	l.closer.Do(func() {
		close(l.done)
		l.err = l.Listener.Close()
	})
	return l.err
}

// counted is a connection that gives its slot back when it is closed.
type counted struct {
	net.Conn
	slots slots
	once  sync.Once
}

// Close closes the connection.
func (c *counted) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.slots })
	return err
}

// CloseWrite and ReadFrom are what net/http looks for in a TCP connection, for an
// orderly end and for sending files.

// CloseWrite closes the sending side, where there is such a thing.
func (c *counted) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return errors.ErrUnsupported
}

// ReadFrom sends all of r.
func (c *counted) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }
