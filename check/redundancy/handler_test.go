package redundancy

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
)

// TestHandlerMethods is the table of methods over a real connection (X13): those that
// probes use are answered alike, and nothing else is.
func TestHandlerMethods(t *testing.T) {
	idle, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	running, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	running.levels.begin()
	for code, n := range map[int]*Node{http.StatusServiceUnavailable: idle, http.StatusOK: running} {
		server := httptest.NewServer(n)
		defer server.Close()
		defer server.Client().CloseIdleConnections()
		length := map[string]string{}
		for method, want := range map[string]struct {
			code  int
			body  bool
			allow string
		}{
			"GET": {code, true, ""}, "HEAD": {code, false, ""}, "OPTIONS": {code, false, "GET, HEAD, OPTIONS"},
			"POST": {405, true, "GET, HEAD, OPTIONS"}, "PUT": {405, true, "GET, HEAD, OPTIONS"}, "DELETE": {405, true, "GET, HEAD, OPTIONS"},
			"PATCH": {405, true, "GET, HEAD, OPTIONS"}, "get": {405, true, "GET, HEAD, OPTIONS"}, "PROPFIND": {405, true, "GET, HEAD, OPTIONS"},
		} {
			r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/any?level=250", nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_, err = bufio.NewReader(answer.Body).Peek(1)
			_ = answer.Body.Close()
			if answer.StatusCode != want.code || answer.Header.Get("Allow") != want.allow || (err == nil) != want.body {
				t.Errorf("%s: %d %v, a body: %v", method, answer.StatusCode, answer.Header, err == nil)
			}
			for name, value := range map[string]string{
				"Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Envoy-Degraded": "",
			} {
				if got := answer.Header.Get(name); got != value {
					t.Errorf("%s: %s %q, want %q", method, name, got, value)
				}
			}
			length[method] = answer.Header.Get("Content-Length")
		}
		if length["HEAD"] != length["GET"] || length["OPTIONS"] != "0" {
			t.Errorf("lengths %v", length)
		}
		if n, err := strconv.Atoi(length["GET"]); err != nil || n == 0 {
			t.Errorf("length %q", length["GET"])
		}
	}
}

// TestHandlerDegradedForAll: the header for Envoy is on the answers to all methods
// of a probe.
func TestHandlerDegradedForAll(t *testing.T) {
	s := newScene(t, nodeA, func(c *Config) { c.Database = nil })
	s.witnesses.keep(probeResult{prober: s.peer(nodeB), probed: s.peer(nodeA), sequence: 1}, s.clock.Now())
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, httptest.NewRequest(method, "/", nil))
		if rec.Code != http.StatusOK || rec.Header().Get("x-envoy-degraded") != "true" {
			t.Errorf("%s: %d %v", method, rec.Code, rec.Header())
		}
	}
}
