package main

import (
	"context"
	"database/sql"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	_ "modernc.org/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// startPayments is a real gRPC server.
func startPayments(t *testing.T, address string) (at string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	stop = func() { server.Stop(); <-done }
	t.Cleanup(stop)
	return l.Addr().String(), stop
}

// times are what differs from one answer to the next.
var times = regexp.MustCompile(`("totalDurationMs|"durationMs)":[0-9.e-]+`)

type answer struct {
	Code int
	Body string
}

func ask(t *testing.T, client *http.Client, method, url string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Header.Get("Content-Type"); len(body) > 0 && got != "application/json" {
		t.Errorf("%s %s: content type %q", method, url, got)
	}
	return answer{res.StatusCode, times.ReplaceAllString(string(body), `$1":0`)}
}

const (
	readyBody   = `{"status":"Healthy","totalDurationMs":0,"entries":{"database":{"status":"Healthy","description":"reachable","durationMs":0},"payments":{"status":"Healthy","description":"reachable","durationMs":0}}}`
	noPayments  = `{"status":"Unhealthy","totalDurationMs":0,"entries":{"database":{"status":"Healthy","description":"reachable","durationMs":0},"payments":{"status":"Unhealthy","description":"unreachable","durationMs":0}}}`
	noDatabase  = `{"status":"Unhealthy","totalDurationMs":0,"entries":{"database":{"status":"Unhealthy","description":"unreachable","durationMs":0},"payments":{"status":"Healthy","description":"reachable","durationMs":0}}}`
	activeBody  = `{"status":"Healthy","totalDurationMs":0,"entries":{"role":{"status":"Healthy","description":"active","durationMs":0}}}`
	standbyBody = `{"status":"Unhealthy","totalDurationMs":0,"entries":{"role":{"status":"Unhealthy","description":"standby","durationMs":0}}}`
	liveBody    = `{"status":"Healthy","totalDurationMs":0,"entries":{}}`
)

// S1.54: the converged service, from end to end over real HTTP, gRPC and SQL.
func TestConverged(t *testing.T) {
	address, stopPayments := startPayments(t, "127.0.0.1:0")
	conn, err := dial(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var r role
	handler, err := newHandler(db, conn, &r)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)

	see := func(when, path string, want answer) {
		t.Helper()
		method := http.MethodGet
		if path == "/orders" {
			method = http.MethodPost
		}
		deadline := time.Now().Add(10 * time.Second)
		for {
			got := ask(t, server.Client(), method, server.URL+path)
			if got == want {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s, %s (-want +got):\n%s", when, path, cmp.Diff(want, got))
			}
			pause(t.Context())
		}
	}
	standby := func(when string) {
		t.Helper()
		see(when, "/health/active", answer{503, standbyBody})
		see(when, "/orders", answer{503, `{"status":"Unhealthy","error":"not active"}`})
		see(when, "/healthz", answer{200, liveBody})
	}
	active := func(when string) {
		t.Helper()
		see(when, "/health/active", answer{200, activeBody})
		see(when, "/orders", answer{202, ""})
		see(when, "/healthz", answer{200, liveBody})
	}

	see("at the start", "/health/ready", answer{200, readyBody})
	standby("at the start")

	r.active.Store(true)
	active("as the active node")
	see("as the active node", "/health/ready", answer{200, readyBody})

	// A dependency that is away makes the node unready, and changes no role.
	stopPayments()
	see("without payments", "/health/ready", answer{503, noPayments})
	active("without payments")
	startPayments(t, address)
	see("with payments again", "/health/ready", answer{200, readyBody})

	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	see("without the database", "/health/ready", answer{503, noDatabase})
	active("without the database")

	r.active.Store(false)
	standby("as a standby again")
}

// pause is the time between two probes.
func pause(ctx context.Context) {
	tick := time.NewTimer(20 * time.Millisecond)
	defer tick.Stop()
	select {
	case <-ctx.Done():
	case <-tick.C:
	}
}
