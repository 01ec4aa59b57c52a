package adapter

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// codeFrom asks for a path as a client at an address: 0 is no answer.
func codeFrom(t *testing.T, from, address, path string) (code int) {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: patience}
	conn, err := d.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	_, _ = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, address)
	reply, _ := io.ReadAll(conn) // an error is a reset, which is no reply either
	_, _ = fmt.Sscanf(string(reply), "HTTP/1.1 %d", &code)
	return code
}

// TestEverySetting runs an adapter in which nothing is as by default: each setting is
// obeyed. What only a clock could tell is left to virtual time.
func TestEverySetting(t *testing.T) {
	t.Parallel()
	s := newStage(t, mode{Does: hung})
	c := realConfig(t, s.environment("command"))
	c.Peer = netip.MustParseAddr("127.0.0.2")
	c.StartupPath, c.ReadyPath, c.LivePath = "/own/started", "/own/wanted", "/own/alive"
	c.Timeout, c.Pause, c.MaximumAge = ownTimeout, ownPause, ownMaximumAge
	c.TokenFile = filepath.Join(s.dir, "token")
	if err := os.WriteFile(c.TokenFile, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log record
	a := runAdapter(t, c, WithLogger(slog.New(slog.NewJSONHandler(&log, nil))))
	address := a.Addr().String()

	// The one peer is answered, at the paths that were set and at no others.
	for path, want := range map[string]int{
		c.StartupPath: 503, c.ReadyPath: 503, c.LivePath: 503,
		defaultStartupPath: 404, defaultReadyPath: 404, defaultLivePath: 404,
	} {
		var got int
		eventually(t, path, func() bool { got = codeFrom(t, "127.0.0.2", address, path); return got != 0 })
		if got != want {
			t.Errorf("%s gets %d, want %d", path, got, want)
		}
	}
	if n := a.Usage().ForeignPeers; n != 0 {
		t.Errorf("%d foreign peers, and there was none", n)
	}
	// Every other one is dropped without an answer, and counted.
	strangers := []string{"127.0.0.1", "127.0.0.3", a.Addr().Addr().String()}
	for _, from := range strangers {
		if got := codeFrom(t, from, address, c.ReadyPath); got != 0 {
			t.Errorf("from %s: %d", from, got)
		}
	}
	u := a.Usage()
	if u.ForeignPeers != uint64(len(strangers)) || u.Connections < 6+u.ForeignPeers || u.Answered < 6 {
		t.Errorf("%d foreign peers of %d connections, and %d answers; want %d foreign ones", u.ForeignPeers, u.Connections, u.Answered, len(strangers))
	}
	// The hung command is killed at its limit, says the one who kills it.
	var text string
	eventually(t, "the first sample fails", func() bool { text += log.take(); return text != "" })
	if want := fmt.Sprintf("timeout: still running after %v", ownTimeout); !strings.Contains(text, want) {
		t.Errorf("the log does not tell %q: %s", want, text)
	}
	if got := u.Ceilings; got.Timeout != ownTimeout || got.Pause != ownPause || got.MaximumAge != ownMaximumAge {
		t.Errorf("ceilings %+v", got)
	}
}

// TestOwnPathsAskTheirOwn endpoint, each of the three.
func TestOwnPathsAskTheirOwn(t *testing.T) {
	c := Config{Listen: ownAddress(), StartupPath: "/a", ReadyPath: "/b", LivePath: "/c"}
	own := [endpoints]string{startup: "/a", ready: "/b", live: "/c"}
	for wanted := range endpoints {
		s, err := newServer(c, func(e endpoint) bool { return e == wanted })
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- s.Serve() }()
		for e, path := range own {
			got := 0
			eventually(t, path, func() bool { got, _ = code(s.Addr().String(), path); return got != 0 })
			if want := map[bool]int{true: 200, false: 503}[endpoint(e) == wanted]; got != want {
				t.Errorf("%s gets %d, want %d", path, got, want)
			}
		}
		s.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}
