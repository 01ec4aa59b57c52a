package prom_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/otelbridge/prom"
)

// counted counts the scrapes in progress.
type counted struct {
	*prom.Exporter
	running, ended atomic.Int64
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.running.Add(1)
	defer func() { c.running.Add(-1); c.ended.Add(1) }()
	c.Exporter.ServeHTTP(w, r)
}

// waitFor polls a real server.
func waitFor(t *testing.T, what string, reached func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !reached(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 30 s", what)
		}
	}
}

// TestSlowClients: clients that ask for a large text and read none of it hold up
// neither loops nor other scrapes, and their own ends when they go away.
func TestSlowClients(t *testing.T) {
	b := board.New()
	var loop *board.Reporter
	for i := range 20_000 {
		loop = b.MustRegister(board.Spec{ID: string(rune('a'+i%26)) + time.Duration(i).String()})
		loop.Beat()
	}
	h := &counted{Exporter: newExporter(t, monitors(t, b))}
	server := httptest.NewServer(h)
	defer server.Close()

	var silent []net.Conn
	for _, accept := range []string{"identity", "identity", "gzip", "gzip"} {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		must(t, err, c.(*net.TCPConn).SetReadBuffer(4<<10))
		_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: "+accept+"\r\n\r\n")
		must(t, err)
		status, err := bufio.NewReaderSize(c, 16).ReadString('\n')
		must(t, err)
		if status != "HTTP/1.1 200 OK\r\n" {
			t.Fatalf("status %q", status)
		}
		silent = append(silent, c)
	}

	loop.Beat()
	other := b.MustRegister(board.Spec{ID: "new"})
	other.Beat()
	other.Close()
	b.MustRegister(board.Spec{ID: "newer"})
	response, err := server.Client().Get(server.URL)
	must(t, err)
	text, err := io.ReadAll(response.Body)
	must(t, err, response.Body.Close())
	s := samplesOf(t, string(text))
	s.want(t, `liveness_processor_status{processor="newer",status="healthy"}`, 1)
	s.absent(t, `processor="new"`)
	if held := h.running.Load(); held < 2 {
		t.Errorf("%d scrapes are held up by their clients, want those of 2 at least", held)
	}

	for _, c := range silent {
		must(t, c.Close())
	}
	waitFor(t, "scrapes of clients that went away", func() bool { return h.running.Load() == 0 && h.ended.Load() == 5 })
}
