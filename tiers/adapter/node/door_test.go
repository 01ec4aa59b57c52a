package node

import (
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// TestInventory: complete when each name is there, live while somebody accepts.
func TestInventory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, p := ingressOf(t, Limits{}, "b", "a"), newPipe()
		want := func(live bool, list ...observation.Listener) {
			t.Helper()
			synctest.Wait()
			got, complete := in.Listeners()
			if diff := cmp.Diff(list, got); diff != "" || complete != (len(list) == 2) {
				t.Errorf("complete %v (-want +got)\n%s", complete, diff)
			}
			if inventory := (observation.Inventory{Complete: complete, Listeners: got}); inventory.Live() != live {
				t.Errorf("live %v", !live)
			}
		}
		a := observation.Listener{Name: "a", Address: "pipe:1", Owner: "api"}
		b := observation.Listener{Name: "b", Address: "pipe:1", Owner: "admin"}
		want(false)
		la, err := in.Listener("a", "api", p)
		must(t, err)
		want(false, a) // nobody accepts yet
		serveA := &http.Server{Handler: http.NotFoundHandler()}
		go func() { _ = serveA.Serve(la) }()
		a.Live = true
		want(false, a)
		other := newPipe()
		lb, err := in.Listener("b", "admin", other)
		must(t, err)
		want(false, b, a) // in the order of the names
		go func() { conn, _ := lb.Accept(); _ = conn.Close() }()
		b.Live = true
		want(true, b, a)

		_ = other.dial().Close() // and the loop accepts no further
		synctest.Wait()
		time.Sleep(away)
		want(true, b, a)
		time.Sleep(time.Nanosecond)
		b.Live = false
		want(false, b, a)

		must(t, serveA.Close())
		a.Live = false
		want(false, b, a)
		must(t, lb.Close())
		want(false, b, a)
	})
}

// TestClosedAtOnce: a listener that was closed is not live, also while its owner
// might come back to accept.
func TestClosedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, p := ingressOf(t, Limits{}, "a"), newPipe()
		l, err := in.Listener("a", "api", p)
		must(t, err)
		client := p.dial()
		conn, err := l.Accept()
		must(t, err)
		if list, _ := in.Listeners(); !list[0].Live {
			t.Error("not live")
		}
		must(t, l.Close())
		if list, _ := in.Listeners(); list[0].Live {
			t.Error("live")
		}
		_ = conn.Close()
		_ = client.Close()
	})
}

// TestClosedInside: a listener that was closed behind the ingress's back is not live.
func TestClosedInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, p := ingressOf(t, Limits{}, "a"), newPipe()
		l, err := in.Listener("a", "api", p)
		must(t, err)
		go func() { _, _ = l.Accept() }()
		synctest.Wait()
		if list, _ := in.Listeners(); !list[0].Live {
			t.Error("not live")
		}
		must(t, p.Close())
		synctest.Wait()
		if list, _ := in.Listeners(); list[0].Live {
			t.Error("live")
		}
	})
}

// TestAddresses: what has no name in text is told by its network.
func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{"": "pipe", "\x00a": "pipe", "10.0.0.1:80": "10.0.0.1:80"} {
		in, p := ingressOf(t, Limits{}, "a"), newPipe()
		p.address = pipeAddr(address)
		if _, err := in.Listener("a", "api", p); err != nil {
			t.Fatal(err)
		}
		if list, _ := in.Listeners(); list[0].Address != want {
			t.Errorf("%q: %q", address, list[0].Address)
		}
	}
}

// pipeListener is a listener in memory, for virtual time.
type pipeListener struct {
	address pipeAddr
	conns   chan net.Conn
	once    sync.Once
	done    chan struct{}
}

type pipeAddr string

func (pipeAddr) Network() string  { return "pipe" }
func (a pipeAddr) String() string { return string(a) }

func newPipe() *pipeListener {
	return &pipeListener{address: "pipe:1", conns: make(chan net.Conn, 16), done: make(chan struct{})}
}

func (p *pipeListener) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipeListener) Addr() net.Addr { return p.address }
