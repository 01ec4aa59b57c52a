package main

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// receiver is an OTLP receiver that can hang.
type receiver struct {
	pushes, hung atomic.Int64
	hangs        atomic.Bool
	last         atomic.Pointer[[]byte]
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	if r.hangs.Load() {
		r.hung.Add(1)
		<-q.Context().Done()
		return
	}
	r.last.Store(&body)
	r.pushes.Add(1)
	w.Header().Set("Content-Type", "application/x-protobuf") // an empty answer: all was taken
}

// has says whether the last push names all of that. Protocol buffers leave
// strings as they are.
func (r *receiver) has(names ...string) bool {
	body := r.last.Load()
	for _, name := range names {
		if body == nil || !bytes.Contains(*body, []byte(name)) {
			return false
		}
	}
	return true
}

// pushing starts an app that pushes ten times a second, until stop.
func pushing(t *testing.T, endpoint string) (a *app, stop func() error) {
	t.Helper()
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "100")
	t.Setenv("OTEL_METRIC_EXPORT_TIMEOUT", "300")
	s := quick()
	s.otlp = endpoint
	a, err := startApp(t.Context(), s, slog.New(slog.DiscardHandler))
	must(t, err)
	stop = sync.OnceValue(a.stop)
	t.Cleanup(func() { must(t, stop()) })
	return a, stop
}

func TestMetricsArePushed(t *testing.T) {
	r := new(receiver)
	server := httptest.NewServer(r)
	defer server.Close()
	_, stop := pushing(t, server.URL)
	eventually(t, "a push has the processors", func() bool {
		return r.has("liveness.processor.status", ordersKey, billingKey, auditKey)
	})
	must(t, stop())
	// Whoever ends on purpose says so: the last push has the board, and no
	// processor that could be missed.
	if !r.has("liveness.board.observed_timestamp") || r.has("liveness.processor.status") {
		t.Error("the last push is not that of a board without processors")
	}
}

// An OTLP receiver that hangs or is away costs its own samples only.
func TestNoLoopWaitsForTheReceiver(t *testing.T) {
	r := new(receiver)
	r.hangs.Store(true)
	server := httptest.NewServer(r)
	defer server.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	nobody := "http://" + l.Addr().String()
	must(t, l.Close())
	for name, endpoint := range map[string]string{"hangs": server.URL, "away": nobody} {
		t.Run(name, func(t *testing.T) {
			a, stop := pushing(t, endpoint)
			beats := func() (n uint64) {
				for o := range a.board.All() {
					n += o.Beats
				}
				return n
			}
			if endpoint == server.URL {
				eventually(t, "a push hangs", func() bool { return r.hung.Load() > 0 })
			}
			before := beats()
			eventually(t, "the loops go on", func() bool { return beats() > before+50 })
			must(t, stop())
		})
	}
}

func TestTheReceiverMustBeAURL(t *testing.T) {
	for _, endpoint := range []string{"127.0.0.1:9090", "ftp://127.0.0.1", "http://", ":"} {
		var out, errs bytes.Buffer
		begun := time.Now()
		if got := command([]string{"-serve", "127.0.0.1:0", "-otlp", endpoint}, &out, &errs); got != 1 || !strings.Contains(errs.String(), "must be a URL") {
			t.Errorf("%s: status %d after %v, stderr %q", endpoint, got, time.Since(begun), errs.String())
		}
	}
}
