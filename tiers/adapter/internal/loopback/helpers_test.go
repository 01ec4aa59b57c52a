package loopback

import (
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head/headtest"
)

// long is more than anything here takes, however busy the machine is. It bounds a
// wait and is no verdict.
var long = map[bool]time.Duration{false: time.Minute, true: 10 * time.Minute}[soak]

var anyPort = netip.MustParseAddrPort("127.0.0.1:0")

// testConfig serves headtest.Paths, all well.
func testConfig() Config {
	return Config{Listen: anyPort, Paths: headtest.Paths, OK: func(int) bool { return true }}
}

// start listens without looking at the configuration, and serves.
func start(t *testing.T, c Config, patience time.Duration, with func(*service) (engine, error)) *Server {
	t.Helper()
	s, err := listen(c, patience, with)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, s)
	return s
}

// serve serves in the background until the test ends.
func serve(t *testing.T, s *Server) {
	t.Helper()
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// everyEngine runs a test with each engine of this system.
func everyEngine(t *testing.T, test func(t *testing.T, with func(*service) (engine, error))) {
	for name, with := range engines {
		t.Run(name, func(t *testing.T) { test(t, with) })
	}
}

// dial connects, and closes when the test ends.
func dial(t *testing.T, s *Server) *net.TCPConn {
	t.Helper()
	c, err := net.DialTimeout("tcp", s.Addr().String(), long)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(long)); err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// goodRequest is one that s answers with 200.
func goodRequest(s *Server) string {
	return "GET /ready HTTP/1.1\r\nHost: " + s.Addr().String() + "\r\n\r\n"
}

// send writes and fails the test if that fails.
func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// rest reads until the server has shut its side.
func rest(t *testing.T, c net.Conn) string {
	t.Helper()
	all, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("after %d bytes: %v", len(all), err)
	}
	return string(all)
}

// await waits until the condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(long); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}
