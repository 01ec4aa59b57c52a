package loopback

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// connect dials and waits until the server has the connection.
func connect(t *testing.T, s *Server) *net.TCPConn {
	t.Helper()
	before := s.Counters().Accepted
	c := dial(t, s)
	await(t, "accepted", func() bool { return s.Counters().Accepted > before })
	return c
}

// ask sends a good request and wants 200.
func ask(t *testing.T, s *Server, c net.Conn) {
	t.Helper()
	send(t, c, goodRequest(s))
	if reply := rest(t, c); !strings.HasPrefix(reply, "HTTP/1.1 200 OK\r\n") {
		t.Fatalf("reply %q", reply)
	}
	_ = c.Close()
}

// TestOldestHeadGivesWay fills the table, and one more.
func TestOldestHeadGivesWay(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		s := start(t, testConfig(), long, with)
		var silent []net.Conn
		for range slots {
			silent = append(silent, connect(t, s))
		}
		if n := s.Counters().Evicted; n != 0 {
			t.Fatalf("%d evicted while there was room", n)
		}
		ask(t, s, connect(t, s))
		if got := rest(t, silent[0]); got != "" {
			t.Errorf("the oldest got %q", got)
		}
		if n := s.Counters().Evicted; n != 1 {
			t.Errorf("%d evicted, want 1", n)
		}
		for _, c := range silent[1:] {
			ask(t, s, c)
		}
	})
}

// TestRepliedGiveWayFirst has an older head keep its slot while there is a
// connection that only has to go away.
func TestRepliedGiveWayFirst(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		s := start(t, testConfig(), long, with)
		oldest := connect(t, s)
		for range slots - 1 {
			deaf := connect(t, s)
			send(t, deaf, goodRequest(s))
			rest(t, deaf) // and stay
		}
		for range slots - 1 {
			connect(t, s)
		}
		if n := s.Counters().Evicted; n != 0 {
			t.Errorf("%d evicted, though others had their replies", n)
		}
		ask(t, s, oldest)
	})
}

// TestHeadHasAnAbsoluteDeadline closes those who say nothing and those who never
// stop saying something, and neither before the time.
func TestHeadHasAnAbsoluteDeadline(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		s := start(t, testConfig(), deadline, with)
		began := time.Now()
		silent, dribbling := dial(t, s), dial(t, s)
		send(t, dribbling, "GET /ready HTTP/1.1\r\nX: ")
		go func() {
			for _, err := io.WriteString(dribbling, "y"); err == nil; _, err = io.WriteString(dribbling, "y") {
				time.Sleep(10 * time.Millisecond)
			}
		}()
		for name, c := range map[string]net.Conn{"silent": silent, "dribbling": dribbling} {
			// A reset is as good: there were bytes that nobody had read.
			if got, err := io.ReadAll(c); len(got) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s got %q, %v", name, got, err)
			}
			if took := time.Since(began); took < deadline {
				t.Errorf("%s was closed after %v", name, took)
			}
		}
		await(t, "both are counted", func() bool { return s.Counters().Expired == 2 })
	})
}

// TestDeafClientLosesItsSlot is fault 32: a client that does not read, and does
// not close, has its reply in the kernel and its connection closed in time.
func TestDeafClientLosesItsSlot(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		s := start(t, testConfig(), deadline, with)
		deaf := dial(t, s)
		send(t, deaf, goodRequest(s))
		await(t, "replied", func() bool { return s.Counters().Answered[200] == 1 })
		await(t, "closed", func() bool { _, err := io.WriteString(deaf, "y"); return err != nil })
		if c := s.Counters(); c.Expired+c.Evicted > 0 {
			t.Errorf("counted as without a reply: %+v", c)
		}
	})
}

// TestClientsThatShutTheirSide get 400 in the middle of a head, and nothing when
// they have said nothing.
func TestClientsThatShutTheirSide(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		s := start(t, testConfig(), long, with)
		for _, tc := range []struct{ text, want string }{
			{"", ""},
			{"G", "HTTP/1.1 400 Bad Request\r\n"},
			{goodRequest(s), "HTTP/1.1 200 OK\r\n"},
		} {
			c := dial(t, s)
			send(t, c, tc.text)
			if err := c.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if got := rest(t, c); !strings.HasPrefix(got, tc.want) || (got == "") != (tc.want == "") {
				t.Errorf("after %q: %q", tc.text, got)
			}
		}
	})
}

// TestReplyOutlivesAFlood sends much more than a head before it reads: without a
// drain, the close would be a reset that can overtake the reply.
func TestReplyOutlivesAFlood(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		s := start(t, testConfig(), long, with)
		for range 20 {
			c := dial(t, s)
			send(t, c, strings.Repeat("y", drainBytes/2))
			if got := rest(t, c); !strings.HasPrefix(got, "HTTP/1.1 431 ") {
				t.Fatalf("reply %q", got)
			}
			_ = c.Close()
		}
	})
}

// TestDrainEnds has a client that floods on after its reply.
func TestDrainEnds(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		s := start(t, testConfig(), long, with)
		c := dial(t, s)
		much := strings.Repeat("y", 4096)
		var err error
		for end := time.Now().Add(long / 2); err == nil && time.Now().Before(end); {
			_, err = io.WriteString(c, much)
		}
		if err == nil {
			t.Error("never closed")
		}
	})
}
