package check_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/loopvitals/loopvitals/check"
)

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func TestHTTPStatuses(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
	})
	for _, method := range []struct {
		name string
		opts []check.HTTPOption
	}{{"GET", nil}, {"HEAD", []check.HTTPOption{check.WithHead()}}} {
		for _, status := range []int{200, 201, 204, 226, 299, 300, 301, 302, 304, 307, 308, 400, 401, 404, 418, 429, 500, 503, 599} {
			got := check.HTTP(server.URL+"/"+strconv.Itoa(status), method.opts...).Check(t.Context())
			want := check.Unhealthy
			if status/100 == 2 {
				want = check.Healthy
			}
			if got.Status != want || got.Description != "status "+strconv.Itoa(status) || got.Data["status"] != status {
				t.Errorf("%s %d: %+v", method.name, status, got)
			}
		}
	}
}

func TestHTTPAsks(t *testing.T) {
	var method, agent, body string
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		method, agent, body = r.Method, r.UserAgent(), string(text)
	})
	check.HTTP(server.URL).Check(t.Context())
	if method != "GET" || body != "" || agent == "" {
		t.Errorf("%s %q %q", method, agent, body)
	}
	check.HTTP(server.URL, check.WithHead(), nil, check.WithTransport(nil)).Check(t.Context())
	if method != "HEAD" {
		t.Errorf("asked with %s", method)
	}
}

// TestHTTPFollowsNoRedirect: another service must not answer for this one.
func TestHTTPFollowsNoRedirect(t *testing.T) {
	var elsewhere atomic.Int64
	other := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) })
	for _, opts := range [][]check.HTTPOption{nil, {check.WithTransport(&http.Transport{DisableKeepAlives: true})}} {
		if got := check.HTTP(server.URL, opts...).Check(t.Context()); got.Status != check.Unhealthy || got.Description != "status 302" {
			t.Errorf("got %+v", got)
		}
	}
	if elsewhere.Load() != 0 {
		t.Error("the redirect was followed")
	}
}

// TestHTTPUsesNoProxy: a proxy of the environment must not answer either.
func TestHTTPUsesNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	if got := check.HTTP(server.URL).Check(t.Context()); got.Status != check.Healthy {
		t.Errorf("got %+v", got)
	}
}

func TestHTTPBodies(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	var sent atomic.Int64
	for _, tt := range []struct {
		name   string
		body   func(http.ResponseWriter, *http.Request)
		status check.Status
	}{
		{"empty", func(http.ResponseWriter, *http.Request) {}, check.Healthy},
		{"endless", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				n, err := w.Write(make([]byte, 4096))
				sent.Add(int64(n))
				if err != nil {
					return
				}
			}
		}, check.Healthy},
		{"broken off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("short"))
		}, check.Unhealthy},
		{"never comes", func(w http.ResponseWriter, _ *http.Request) {
			_ = http.NewResponseController(w).Flush()
			<-block
		}, check.Unhealthy},
		{"huge header", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Huge", strings.Repeat("a", 1<<20))
		}, check.Unhealthy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, tt.body)
			ctx, cancel := context.WithTimeout(t.Context(), 200*ms)
			defer cancel()
			if got := check.HTTP(server.URL).Check(ctx); got.Status != tt.status {
				t.Errorf("got %+v", got)
			}
			if tt.name == "never comes" {
				block <- struct{}{}
			}
		})
	}
	// What the kernel's buffers took is sent too.
	if n := sent.Load(); n > 32<<20 {
		t.Errorf("%d bytes of an endless body were taken", n)
	}
}

// TestHTTPKeepsNoConnection: each run connects anew and leaves nothing.
func TestHTTPKeepsNoConnection(t *testing.T) {
	var opened, open atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok"))
	}))
	closed := make(chan struct{}, 10)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			opened.Add(1)
			open.Add(1)
		case http.StateClosed:
			open.Add(-1)
			closed <- struct{}{}
		}
	}
	server.Start()
	defer server.Close()
	c := check.HTTP(server.URL)
	for range 5 {
		c.Check(t.Context())
		<-closed
	}
	if opened.Load() != 5 || open.Load() != 0 {
		t.Errorf("%d opened, %d still open", opened.Load(), open.Load())
	}
}

// closeWatch is a body that notes that it was closed.
type closeWatch struct {
	io.Reader
	closed *atomic.Bool
}

func (c closeWatch) Close() error {
	c.closed.Store(true)
	return nil
}

type cannedTransport struct{ response http.Response }

func (c cannedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	c.response.Request = r
	return &c.response, nil
}

// TestHTTPClosesTheBody, also of an answer that is not wanted: a transport
// that keeps its connections would run out of them.
func TestHTTPClosesTheBody(t *testing.T) {
	for _, status := range []int{200, 302, 503} {
		var closed atomic.Bool
		answer := http.Response{StatusCode: status, Header: http.Header{}, Body: closeWatch{strings.NewReader("text"), &closed}}
		check.HTTP("http://host", check.WithTransport(cannedTransport{answer})).Check(t.Context())
		if !closed.Load() {
			t.Errorf("status %d: the body was not closed", status)
		}
	}
}

func TestHTTPDownAndBack(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	address := server.Listener.Addr().String()
	c := check.HTTP(server.URL)
	if got := c.Check(t.Context()); got.Status != check.Healthy {
		t.Errorf("up: %+v", got)
	}
	server.Close()
	if got := c.Check(t.Context()); got.Status != check.Unhealthy || got.Description != "unreachable" || got.Err == nil || got.Data != nil {
		t.Errorf("down: %+v", got)
	}
	back, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	again := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	go func() { _ = again.Serve(back) }()
	defer func() { _ = again.Close() }()
	if got := c.Check(t.Context()); got.Status != check.Healthy {
		t.Errorf("back: %+v", got)
	}
}

// TestHTTPHangs asks a listener that accepts and never speaks.
func TestHTTPHangs(t *testing.T) {
	silent := listenSilently(t)
	r := newRunner(t, check.HTTP("http://"+silent), check.Sampling{Limit: 50 * ms})
	wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Timeout)
}

func TestHTTPOverTLSWithItsTransport(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // the refused handshake
	server.StartTLS()
	defer server.Close()
	if got := check.HTTP(server.URL).Check(t.Context()); got.Status != check.Unhealthy {
		t.Errorf("an unknown authority: %+v", got)
	}
	if got := check.HTTP(server.URL, check.WithTransport(server.Client().Transport)).Check(t.Context()); got.Status != check.Healthy {
		t.Errorf("its own client: %+v", got)
	}
}

func TestURLsRefused(t *testing.T) {
	for url, ok := range map[string]bool{
		"http://localhost":              true,
		"https://user:hunter2@db:8443/": true,
		"":                              false,
		"localhost:8080":                false,
		"/health":                       false,
		"http://":                       false,
		"http:///path":                  false,
		"ftp://host":                    false,
		"http://[::1":                   false,
		"http://user:hunter2@ho st/":    false,
		"gopher://user:hunter2@host/":   false,
	} {
		_, err := check.NewRunner("api", check.HTTP(url), check.Sampling{})
		if ok != (err == nil) {
			t.Errorf("%q: %v", url, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: the error repeats the password: %v", url, err)
		}
	}
}

func TestTCP(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	c := check.TCP(address)
	if got := c.Check(t.Context()); got.Status != check.Healthy || got.Description != "reachable" {
		t.Errorf("up: %+v", got)
	}
	_ = listener.Close()
	if got := c.Check(t.Context()); got.Status != check.Unhealthy || got.Description != "unreachable" || got.Err == nil {
		t.Errorf("down: %+v", got)
	}
	if listener, err = net.Listen("tcp", address); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	if got := c.Check(t.Context()); got.Status != check.Healthy {
		t.Errorf("back: %+v", got)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if got := c.Check(gone); got.Status != check.Unhealthy || !errors.Is(got.Err, context.Canceled) {
		t.Errorf("cancelled: %+v", got)
	}
}

// TestTCPHangsUp: a probe must not hold a connection of its dependency.
func TestTCPHangsUp(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	check.TCP(listener.Addr().String()).Check(t.Context())
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if n, err := conn.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("read %d, %v, want the end", n, err)
	}
}

func TestTCPAddressesRefused(t *testing.T) {
	for address, ok := range map[string]bool{
		"db:5432": true, "[::1]:80": true, "127.0.0.1:http": true,
		"": false, "db": false, ":80": false, "db:": false, "a:b:c": false,
	} {
		if _, err := check.NewRunner("db", check.TCP(address), check.Sampling{}); ok != (err == nil) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// listenSilently returns the address of a listener that accepts connections
// and never says a word.
func listenSilently(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan net.Conn, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-ended
		close(accepted)
		for conn := range accepted {
			_ = conn.Close()
		}
	})
	return listener.Addr().String()
}
