package clustertest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// wire carries TCP connections to a server. It can fall silent in either
// direction: what was sent is kept, and nobody is told, which is what a cut cable
// looks like. And it can hang up, which everybody notices at once and which loses
// what was on its way.
type wire struct {
	listener net.Listener
	server   func() string
	workers  sync.WaitGroup

	mu       sync.Mutex
	changed  *sync.Cond
	silent   [2]bool // by direction
	down     bool    // closes what connects
	closed   bool
	sessions map[net.Conn]bool
}

type direction int

const (
	requests direction = iota // from the KV to the server
	answers
)

// newWire returns a wire that is closed at the end of the test.
func newWire(t testing.TB, server func() string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: listener, server: server, sessions: map[net.Conn]bool{}}
	w.changed = sync.NewCond(&w.mu)
	w.workers.Go(w.accept)
	t.Cleanup(w.close)
	return w
}

func (w *wire) address() string { return w.listener.Addr().String() }

// cut makes the given directions silent, or both.
func (w *wire) cut(which ...direction) {
	if len(which) == 0 {
		which = []direction{requests, answers}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range which {
		w.silent[d] = true
	}
}

// hangUp closes all connections, and those that come until the wire is healed.
func (w *wire) hangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for c := range w.sessions {
		_ = c.Close()
	}
}

// heal lets all go on, with what was kept.
func (w *wire) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent, w.down = [2]bool{}, false
	w.changed.Broadcast()
}

func (w *wire) close() {
	_ = w.listener.Close()
	w.mu.Lock()
	w.closed = true
	for c := range w.sessions {
		_ = c.Close()
	}
	w.changed.Broadcast()
	w.mu.Unlock()
	w.workers.Wait()
}

func (w *wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", w.server())
		if err != nil || !w.enter(client, server) {
			_ = client.Close()
			if server != nil {
				_ = server.Close()
			}
			continue
		}
		w.workers.Go(func() { w.carry(server, client, requests) })
		w.workers.Go(func() { w.carry(client, server, answers) })
	}
}

// enter notes connections to be closed with the wire, unless it is down.
func (w *wire) enter(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.down {
		return false
	}
	for _, c := range conns {
		w.sessions[c] = true
	}
	return true
}

// carry copies until one of the two is closed, and then closes both.
func (w *wire) carry(to, from net.Conn, d direction) {
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, c := range []net.Conn{to, from} {
			_ = c.Close()
			delete(w.sessions, c)
		}
	}()
	_, _ = io.Copy(speaker{w, d, to}, from)
}

// speaker writes when its direction is not silent.
type speaker struct {
	wire *wire
	d    direction
	to   io.Writer
}

// Write waits until the wire is healed or closed.
func (s speaker) Write(p []byte) (int, error) {
	s.wire.mu.Lock()
	for s.wire.silent[s.d] && !s.wire.closed {
		s.wire.changed.Wait()
	}
	s.wire.mu.Unlock()
	return s.to.Write(p)
}
