package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// server starts something to probe, and returns its address.
type server func(t *testing.T) (address string)

// serves is an HTTP server.
func serves(h http.HandlerFunc) server {
	return func(t *testing.T) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
}

// says is an HTTP server that always says the same.
func says(code int, body string) server {
	return serves(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	})
}

// sends is a TCP server that sends the pieces once it has a request, and goes on
// sending the last one for ever; or hangs, when that is empty.
func sends(pieces ...string) server {
	return func(t *testing.T) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		all.Go(func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				all.Go(func() {
					defer conn.Close()
					_, _ = conn.Read(make([]byte, 4096))
					for i := 0; ; i = min(i+1, len(pieces)-1) {
						if i == len(pieces)-1 && pieces[i] == "" {
							_, _ = io.Copy(io.Discard, conn) // until the client has left
							return
						}
						if pieces[i] == hangUp {
							return
						}
						if _, err := io.WriteString(conn, pieces[i]); err != nil {
							return
						}
					}
				})
			}
		})
		t.Cleanup(func() { _ = l.Close(); all.Wait() })
		return l.Addr().String()
	}
}

// hangUp is the last piece of a server that closes the connection.
const hangUp = "hang up"

// reports are the tiers of an application.
func reports(s check.Status) server {
	return func(t *testing.T) string {
		set := tiers.New()
		c := check.Func(func(context.Context) check.Result { return check.Result{Status: s, Description: "a reason"} })
		for _, add := range []func(string, check.Checker, ...tiers.CheckOption) error{set.AddReady, set.AddActive, set.AddStartup, set.AddWedged} {
			if err := add(fmt.Sprint("check", len(set.CheckStates())), c); err != nil {
				t.Fatal(err)
			}
		}
		h, err := set.Endpoints()
		if err != nil {
			t.Fatal(err)
		}
		return serves(h.ServeHTTP)(t)
	}
}

// nobody is an address where nothing listens: a client's own, so that no other
// process listens there meanwhile.
func nobody(t *testing.T) string {
	conn, err := net.Dial("tcp", sends("")(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn.LocalAddr().String()
}

func padded(n int) string {
	const head, tail = `{"status":"Degraded","x":"`, `"}`
	return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
}

// recovers is a server that is unhealthy so many times.
func recovers(after int64) server {
	return func(t *testing.T) string {
		var asked atomic.Int64
		return serves(func(w http.ResponseWriter, _ *http.Request) {
			if asked.Add(1) <= after {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			_, _ = io.WriteString(w, healthy)
		})(t)
	}
}

func servesTLS(t *testing.T) string {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, healthy) }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// short is a directory with a name short enough for sockets.
func short(t *testing.T) string {
	dir, err := os.MkdirTemp("", "lv") //nolint:usetesting // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func onSocket(h http.HandlerFunc) server {
	return func(t *testing.T) string {
		s := httptest.NewUnstartedServer(h)
		_ = s.Listener.Close()
		l, err := net.Listen("unix", filepath.Join(short(t), "s"))
		if err != nil {
			t.Fatal(err)
		}
		s.Listener = l
		s.Start()
		t.Cleanup(s.Close)
		return l.Addr().String()
	}
}
