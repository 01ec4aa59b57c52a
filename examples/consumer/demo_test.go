package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// syncBuffer is a buffer for a writer and a reader at the same time.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestDemoPlaysTheWholeScript(t *testing.T) {
	var out bytes.Buffer
	if err := runDemo(t.Context(), &out, quick(), 0); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		"GET /health/ready -> 503 Service Unavailable",
		"Processor 'orders' has been busy for",
		"Processor 'billing' worker '",
		`"reason": "standby"`,
		`"database": {"status": "Unhealthy"`,
		`"id": "billing::rebuild::2"`,
		"[14/14] ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing of %q in\n%s", want, out.String())
		}
	}
	if !strings.HasSuffix(out.String(), "\n\ndemo: ok (14 steps)\n") {
		t.Errorf("the last line is not that all went well:\n%s", out.String())
	}
}

// A demo that cannot fail shows nothing.
func TestDemoNamesTheStepThatFailed(t *testing.T) {
	body := `{"status":"Healthy","totalDurationMs":0,"entries":{"processors":{"status":"Healthy","description":"fine","durationMs":1,` +
		`"data":{"processors":[{"id":"orders","reason":"busy","status":"Healthy","busyMs":5,"lag":7,"faults":0}]}}}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusConflict)
		}
		fmt.Fprint(w, body)
	}))
	defer server.Close()
	see := func(e expectation) func(*stage) error {
		return func(s *stage) error { return s.see(readyPath, ok(), e) }
	}
	cases := []struct {
		name      string
		play      func(*stage) error
		want, got string
	}{
		{"code", func(s *stage) error { return s.see(readyPath, unavailable()) }, "HTTP status 503", "HTTP status 200"},
		{"entry", see(entry("processors", "Unhealthy")), "processors Unhealthy", "processors Healthy"},
		{"no entry", see(entry("database", "Healthy")), "database Healthy", "no entry database"},
		{"says", see(says("processors", "wedge")), "processors says “wedge”", "processors says “fine”"},
		{"reason", see(reason("orders", "stuck")), "orders stuck", "orders busy"},
		{"no processor", see(reason("audit", "standby")), "audit standby", "no processor audit"},
		{"works", see(works("orders", "billing")), "orders + billing at work", "no processor billing"},
		{"busy", see(busyFor("orders", time.Second)), "orders busy for more than 1s", "orders busy for 5ms"},
		{"lag below", see(lagBelow("orders", 7)), "orders less than 7 behind", "orders 7 behind"},
		{"lag above", see(lagAbove("orders", 7)), "orders more than 7 behind", "orders 7 behind"},
		{"faults", see(faultsOf("orders", 1)), "orders with faults = 1", "orders with faults = 0"},
		{"absent", see(absent("orders")), "no orders", "orders is there"},
		{"post", func(s *stage) error { return s.post("/demo/wedge") }, "HTTP status 200", "HTTP status 409"},
		{"refused", func(s *stage) error { return s.refused("/accounts") }, "HTTP status 503", "HTTP status 200"},
		{"scrape", func(s *stage) error { return s.scrape("up 1") }, "series up 1", "none like that"},
		{"keep", func(s *stage) error { return s.keep(time.Hour, readyPath, unavailable()) }, "HTTP status 503", "HTTP status 200"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			client := server.Client()
			s := &stage{ctx: t.Context(), out: t.Output(), client: client, base: server.URL, begun: time.Now(), log: new(tape)}
			err := s.run([]step{{"Fine", "", see(ok())}, {"Broken", "", c.play}, {"Never", "", see(ok())}})
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range []string{"step 2 of 3 failed (Broken)", "expected: " + c.want + "\n", "got:      " + c.got} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("nothing of %q in\n%v", part, err)
				}
			}
		})
	}
}
