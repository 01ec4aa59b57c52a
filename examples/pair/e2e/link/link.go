// Package link is the wire between a node and its engine, as a TCP proxy that can
// fall silent. A silent wire is what a network that drops packets looks like from
// both ends: connections stay open, nothing is refused, and nothing arrives. What
// was sent meanwhile arrives once the wire is mended, late, as TCP would have it.
package link

import (
	"context"
	"net"
	"sync"
)

// Direction is one way of the wire, or both.
type Direction uint8

// The directions, from the node's side.
const (
	Requests Direction = 1 << iota
	Answers
	Both = Requests | Answers
)

// Link is one wire.
type Link struct {
	target   string
	listener net.Listener
	group    sync.WaitGroup

	mu     sync.Mutex
	moved  *sync.Cond // something below changed
	silent Direction
	closed bool
	conns  map[net.Conn]struct{}
}

// Listen opens a wire from the address to the target, both HOST:PORT. Port 0 is
// any.
func Listen(address, target string) (*Link, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	l := &Link{target: target, listener: listener, conns: map[net.Conn]struct{}{}}
	l.moved = sync.NewCond(&l.mu)
	l.group.Go(l.accept)
	return l, nil
}

// Address is where the wire begins.
func (l *Link) Address() string { return l.listener.Addr().String() }

// Silence lets nothing through in the direction until Mend.
func (l *Link) Silence(d Direction) { l.set(func() { l.silent |= d }) }

// Mend lets everything through again, and first what has waited.
func (l *Link) Mend() { l.set(func() { l.silent = 0 }) }

// Close closes all connections and waits for what served them.
func (l *Link) Close() {
	_ = l.listener.Close()
	l.set(func() {
		l.closed = true
		for c := range l.conns {
			_ = c.Close()
		}
	})
	l.group.Wait()
}

func (l *Link) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	l.moved.Broadcast()
}

func (l *Link) accept() {
	for {
		node, err := l.listener.Accept()
		if err != nil {
			return
		}
		if l.keep(node) {
			l.group.Go(func() { l.serve(node) })
		}
	}
}

// serve is one connection. A silent wire does not even get one to the engine.
func (l *Link) serve(node net.Conn) {
	defer l.drop(node)
	if !l.await(Both) {
		return
	}
	engine, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", l.target)
	if err != nil || !l.keep(engine) {
		return
	}
	defer l.drop(engine)
	var ways sync.WaitGroup
	ways.Go(func() { l.copy(engine, node, Requests) })
	ways.Go(func() { l.copy(node, engine, Answers) })
	ways.Wait()
}

// copy moves bytes while the direction is not silent, and ends both ways of the
// connection when one has ended.
func (l *Link) copy(to, from net.Conn, d Direction) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if !l.await(d) {
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return // io.EOF, or the connection was closed
		}
	}
}

// await waits until the direction lets bytes through; false once the link is
// closed.
func (l *Link) await(d Direction) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.silent&d != 0 && !l.closed {
		l.moved.Wait()
	}
	return !l.closed
}

// keep remembers the connection, to close it with the link.
func (l *Link) keep(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		_ = c.Close()
		return false
	}
	l.conns[c] = struct{}{}
	return true
}

func (l *Link) drop(c net.Conn) {
	_ = c.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}
