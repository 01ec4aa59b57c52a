package adapter

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// patience is how long a condition is waited for. It is no bound of anything.
const patience = time.Minute

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still waiting after %v: %s", patience, what)
		}
	}
}

// ask sends one request and returns the whole reply.
func ask(address, method, path string) (reply string, err error) {
	conn, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\n\r\n", method, path, address); err != nil {
		return "", err
	}
	text, err := io.ReadAll(conn)
	return string(text), err
}

// code asks for a path and returns the code, or 0 and why there is none.
func code(address, path string) (code int, err error) {
	reply, err := ask(address, "GET", path)
	if err != nil {
		return 0, err
	}
	_, err = fmt.Sscanf(reply, "HTTP/1.1 %d", &code)
	return code, err
}

// body is what follows the head of a reply.
func body(reply string) string {
	_, body, _ := strings.Cut(reply, "\r\n\r\n")
	return body
}

// realConfig samples the test binary.
func realConfig(t *testing.T, environment []string) Config {
	t.Helper()
	return Config{Node: nodeName, Listen: ownAddress(), Command: []string{testBinary(t)}, Environment: environment}
}

// ownAddress is a loopback address that no other test has, of this package or of
// another, with any port: nobody takes the port when it is closed.
func ownAddress() netip.AddrPort {
	pid, n := os.Getpid(), serial.Add(1)
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, byte(pid>>8) | 128, byte(pid), byte(1 + n%250)}), 0)
}

var serial atomic.Uint32

func testBinary(t *testing.T) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// runAdapter runs one in this process until the test ends.
func runAdapter(t *testing.T, c Config, options ...Option) *Adapter {
	t.Helper()
	a, err := New(c, options...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return a
}
