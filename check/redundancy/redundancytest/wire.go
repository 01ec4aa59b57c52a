package redundancytest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// wire carries TCP connections to an engine. It can fall silent, so that what is
// sent is kept and nobody is told, which is what a cut cable looks like. And it
// can hang up, which everybody notices at once and which loses what was on its
// way.
type wire struct {
	listener net.Listener
	engine   func() string
	workers  sync.WaitGroup

	mu       sync.Mutex
	changed  *sync.Cond
	silent   bool
	down     bool // closes what connects
	closed   bool
	sessions map[net.Conn]bool
}

// newWire returns a wire that is closed at the end of the test.
func newWire(t testing.TB, engine func() string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: listener, engine: engine, sessions: map[net.Conn]bool{}}
	w.changed = sync.NewCond(&w.mu)
	w.workers.Go(w.accept)
	t.Cleanup(w.close)
	return w
}

func (w *wire) address() string { return w.listener.Addr().String() }

func (w *wire) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	if w.down || w.closed {
		for c := range w.sessions {
			_ = c.Close()
		}
	}
	w.changed.Broadcast()
}

// cut makes the wire silent.
func (w *wire) cut() { w.set(func() { w.silent = true }) }

// hangUp closes all connections, and those that come until the wire is healed.
func (w *wire) hangUp() { w.set(func() { w.down = true }) }

// heal lets all go on, with what was kept.
func (w *wire) heal() { w.set(func() { w.silent, w.down = false, false }) }

func (w *wire) close() {
	_ = w.listener.Close()
	w.set(func() { w.closed = true })
	w.workers.Wait()
}

func (w *wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		engine, err := net.Dial("tcp", w.engine())
		if err != nil || !w.enter(client, engine) {
			_ = client.Close()
			if engine != nil {
				_ = engine.Close()
			}
			continue
		}
		w.workers.Go(func() { w.carry(engine, client) })
		w.workers.Go(func() { w.carry(client, engine) })
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
func (w *wire) carry(to, from net.Conn) {
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, c := range []net.Conn{to, from} {
			_ = c.Close()
			delete(w.sessions, c)
		}
	}()
	_, _ = io.Copy(speaker{w, to}, from)
}

// speaker writes when the wire is not silent.
type speaker struct {
	wire *wire
	to   io.Writer
}

// Write waits until the wire is healed or closed.
func (s speaker) Write(p []byte) (int, error) {
	s.wire.mu.Lock()
	for s.wire.silent && !s.wire.closed && !s.wire.down {
		s.wire.changed.Wait()
	}
	s.wire.mu.Unlock()
	return s.to.Write(p)
}
