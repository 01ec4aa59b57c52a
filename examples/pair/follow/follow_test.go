package follow

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// backendServer is a node that is active when it is told so.
type backendServer struct {
	*httptest.Server
	active atomic.Bool
}

func startBackend(t *testing.T, name string) *backendServer {
	b := &backendServer{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health/active" {
			if !b.active.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return
		}
		_, _ = io.WriteString(w, name+r.URL.Path)
	}))
	t.Cleanup(b.Close)
	return b
}

func get(p *Proxy) (int, string) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/orders", http.NoBody))
	return w.Code, w.Body.String()
}

func TestFollowsTheActiveNode(t *testing.T) {
	a, b := startBackend(t, "a"), startBackend(t, "b")
	p := New(a.Listener.Addr().String(), b.Listener.Addr().String())
	if code, _ := get(p); code != http.StatusServiceUnavailable {
		t.Errorf("before it has looked: %d", code)
	}
	done := make(chan struct{})
	go func() { defer close(done); p.Run(t.Context(), time.Millisecond) }()
	t.Cleanup(func() { <-done })

	// The answers change at some moment after the backends do.
	for _, step := range []struct {
		name string
		do   func()
		code int
		body string
	}{
		{"none is active", func() {}, http.StatusServiceUnavailable, "no node is active\n"},
		{"a is", func() { a.active.Store(true) }, http.StatusOK, "a/orders"},
		{"b is", func() { a.active.Store(false); b.active.Store(true) }, http.StatusOK, "b/orders"},
		{"b is gone", b.die, http.StatusServiceUnavailable, "no node is active\n"},
	} {
		step.do()
		var code int
		var body string
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if code, body = get(p); code == step.code && body == step.body {
				break
			}
		}
		if code != step.code || body != step.body {
			t.Errorf("%s: got %d %q, want %d %q", step.name, code, body, step.code, step.body)
		}
	}
}

// die ends the node.
func (b *backendServer) die() {
	b.CloseClientConnections()
	b.Close()
}

func TestAnswerOfADeadNode(t *testing.T) {
	a := startBackend(t, "a")
	p := New(a.Listener.Addr().String())
	p.backends[0].active.Store(true)
	a.Close()
	if code, body := get(p); code != http.StatusBadGateway || body != "the active node did not answer\n" {
		t.Errorf("got %d %q", code, body)
	}
}
