package redundancy

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// desk is a listener in memory, for virtual time. Its connections block in Write
// until the client reads.
type desk struct {
	arrivals chan any // net.Conn or error
	closed   chan struct{}
	once     sync.Once
}

func newDesk() *desk { return &desk{arrivals: make(chan any), closed: make(chan struct{})} }

func (d *desk) Accept() (net.Conn, error) {
	select {
	case a := <-d.arrivals:
		if err, failed := a.(error); failed {
			return nil, err
		}
		return a.(net.Conn), nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

func (d *desk) Close() error   { d.once.Do(func() { close(d.closed) }); return nil }
func (d *desk) Addr() net.Addr { return nil }

// call is the client's end of a new connection.
func (d *desk) call() net.Conn {
	client, server := net.Pipe()
	d.arrivals <- server
	return client
}

// startAgent starts an agent and returns how to end it, and what came of it.
func startAgent(t testing.TB, n *Node, l net.Listener) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.ServeAgent(ctx, l) }()
	return sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
}

// askAgent makes one agent check.
func askAgent(address, say string) (line string, err error) {
	conn, err := net.DialTimeout("tcp", address, 30*time.Second)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.WriteString(conn, say); err != nil {
		return "", err
	}
	all, err := io.ReadAll(conn)
	return string(all), err
}

// TestAgentOverTCP: each connection gets the line of the moment, whole, and is
// closed, also when the client speaks first, as with HAProxy's agent-send.
func TestAgentOverTCP(t *testing.T) {
	n, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := startAgent(t, n, l)
	ask := func(say string) string {
		t.Helper()
		for {
			began := time.Now()
			line, err := askAgent(l.Addr().String(), say)
			if err == nil {
				return line
			}
			if time.Since(began) < agentPatience { // else it was the machine that stood still
				t.Fatalf("after %q: %v", line, err)
			}
		}
	}
	for range 3 {
		for _, say := range []string{"", "backend/server\n"} {
			if got := ask(say); got != "down #service level 0\n" {
				t.Errorf("before: %q", got)
			}
		}
	}
	n.levels.begin()
	for range 100 {
		if got := ask(""); got != "up 100%\n" {
			t.Fatalf("in the run: %q", got)
		}
	}
	n.levels.end()
	if got := ask(""); got != "down #service level 0\n" {
		t.Errorf("after: %q", got)
	}
	if err := stop(); err != nil {
		t.Errorf("ended: %v", err)
	}
	if conn, err := net.DialTimeout("tcp", l.Addr().String(), 30*time.Second); err == nil {
		_ = conn.Close()
		t.Error("the listener is open still")
	}
}

// TestAgentSurvivesItsClients: those who never read keep nobody out, however many
// they are, and stay for a second at most.
func TestAgentSurvivesItsClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n *Node
		d := newDesk()
		stop := startAgent(t, n, d)
		gone := make(chan time.Duration, 1000)
		began := time.Now()
		for range 10 * agentVisitors {
			client := d.call()
			go func() {
				defer func() { _ = client.Close() }()
				_, _ = client.Write(make([]byte, 1)) // which the agent never reads
				gone <- time.Since(began)
			}()
		}
		polite := d.call()
		line, err := io.ReadAll(polite)
		if string(line) != "down #service level 0\n" || err != nil || time.Since(began) != 0 {
			t.Errorf("%q, %v after %v", line, err, time.Since(began))
		}
		synctest.Wait()
		// The polite client made one more of them leave.
		if got, want := len(gone), 9*agentVisitors+1; got != want {
			t.Errorf("%d were made to leave, want %d", got, want)
		}
		time.Sleep(agentPatience)
		synctest.Wait()
		if got, want := len(gone), 10*agentVisitors; got != want {
			t.Errorf("%d have left in time, want %d", got, want)
		}
		if err := stop(); err != nil {
			t.Errorf("ended: %v", err)
		}
	})
}

// TestAgentPatience is the table of how long a client may take to read.
func TestAgentPatience(t *testing.T) {
	for takes, want := range map[time.Duration]string{
		0: "down #service level 0\n", agentPatience - 1: "down #service level 0\n", agentPatience + 1: "",
	} {
		synctest.Test(t, func(t *testing.T) {
			var n *Node
			d := newDesk()
			stop := startAgent(t, n, d)
			client := d.call()
			time.Sleep(takes)
			if line, _ := io.ReadAll(client); string(line) != want {
				t.Errorf("after %v: %q, want %q", takes, line, want)
			}
			_ = stop()
		})
	}
}

// TestAgentEndsAtOnce: when ctx ends nobody is waited for, and nothing is left.
func TestAgentEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n *Node
		d := newDesk()
		stop := startAgent(t, n, d)
		for range agentVisitors {
			client := d.call()
			defer func() { _ = client.Close() }()
		}
		began := time.Now()
		if err := stop(); err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// lingerer is a connection that can be closed for writing, and whose client never
// closes it.
type lingerer struct {
	net.Conn
	halfClosed chan struct{}
}

func (l lingerer) CloseWrite() error { close(l.halfClosed); return nil }

// TestAgentWaitsForTheClient: one that has its line and does not hang up is left
// after a second, or when it has said more than a little.
func TestAgentWaitsForTheClient(t *testing.T) {
	for name, c := range map[string]struct {
		says int
		want time.Duration
	}{"nothing": {0, agentPatience}, "a little": {agentChatter - 1, agentPatience}, "too much": {agentChatter, 0}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var n *Node
				d := newDesk()
				stop := startAgent(t, n, d)
				client, server := net.Pipe()
				halfClosed := make(chan struct{})
				d.arrivals <- lingerer{server, halfClosed}
				if _, err := io.ReadFull(client, make([]byte, len("down #service level 0\n"))); err != nil {
					t.Fatal(err)
				}
				<-halfClosed
				began := time.Now()
				if _, err := client.Write(make([]byte, c.says)); err != nil {
					t.Fatal(err)
				}
				_, _ = io.ReadAll(client)
				if took := time.Since(began); took != c.want {
					t.Errorf("left after %v, want %v", took, c.want)
				}
				_ = stop()
			})
		})
	}
}

// TestAgentOfABrokenListener: what passes is waited for, anything else is told.
func TestAgentOfABrokenListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n *Node
		d := newDesk()
		stop := startAgent(t, n, d)
		began := time.Now()
		d.arrivals <- &net.OpError{Op: "accept", Err: syscall.EMFILE}
		client := d.call()
		if line, err := io.ReadAll(client); string(line) != "down #service level 0\n" || err != nil {
			t.Errorf("afterwards: %q, %v", line, err)
		}
		if took := time.Since(began); took != agentPause {
			t.Errorf("left alone for %v", took)
		}
		broken := errors.New("no more")
		d.arrivals <- broken
		synctest.Wait()
		if err := stop(); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "redundancy: agent: ") {
			t.Errorf("ended with %v", err)
		}
		select {
		case <-d.closed:
		default:
			t.Error("the listener is open still")
		}
		if err := n.ServeAgent(t.Context(), nil); err == nil {
			t.Error("serves nobody")
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := n.ServeAgent(ended, newDesk()); err != nil {
			t.Errorf("of a context that has ended: %v", err)
		}
	})
}

// TestAgentForgetsItsClients: who has left is not held on to.
func TestAgentForgetsItsClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var v visitors
		for range agentVisitors {
			client, server := net.Pipe()
			v.receive(server, "up 100%\n")
			_, _ = io.ReadAll(client)
		}
		synctest.Wait()
		if len(v.present) != 0 {
			t.Errorf("%d are held on to", len(v.present))
		}
		v.dismiss()
	})
}

// trapped is a connection that panics, or ends the goroutine that writes to it.
type trapped struct {
	net.Conn
	spring func()
}

func (c trapped) Write([]byte) (int, error) { c.spring(); return 0, nil }

// TestAgentContainsConnections: a connection is code of others.
func TestAgentContainsConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n *Node
		d := newDesk()
		stop := startAgent(t, n, d)
		_, server := net.Pipe()
		d.arrivals <- trapped{server, func() { panic("no connection") }}
		if line, err := io.ReadAll(d.call()); string(line) != "down #service level 0\n" || err != nil {
			t.Errorf("afterwards: %q, %v", line, err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}
