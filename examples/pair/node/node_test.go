package node

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/loopvitals/loopvitals/examples/pair/device"
	"github.com/loopvitals/loopvitals/examples/pair/engine"
	"github.com/loopvitals/loopvitals/examples/pair/freeport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a real NATS and a device.
type world struct {
	t      *testing.T
	engine string
	device *device.Device
	url    string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, engine: freeAddress(t), device: &device.Device{}}
	server := httptest.NewServer(w.device)
	t.Cleanup(server.Close)
	w.url = server.Listener.Addr().String()
	ready, done := make(chan struct{}), make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- engine.Serve(ctx, engine.NATS, w.engine, t.TempDir(), func() { close(ready) }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	return w
}

func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := freeport.Address("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// running is a node that runs.
type running struct {
	*Node
	leave func()
	done  chan error
}

func (w *world) run() *running {
	w.t.Helper()
	kv, disconnect, err := engine.Open(engine.NATS, []string{w.engine})
	if err != nil {
		w.t.Fatal(err)
	}
	client := device.NewClient(w.url)
	n, err := New(Config{
		Address: freeAddress(w.t), TTL: 2 * time.Second, Every: 5 * time.Millisecond,
		KV: kv, Device: client, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Node: n, leave: cancel, done: make(chan error, 1)}
	go func() {
		r.done <- n.Run(ctx)
		close(r.done)
	}()
	w.t.Cleanup(func() {
		cancel()
		<-r.done
		disconnect()
		client.Close()
	})
	return r
}

// ask asks the node over its handler.
func (r *running) ask(method, path string) (int, string) {
	w := httptest.NewRecorder()
	r.Handler.ServeHTTP(w, httptest.NewRequest(method, path, http.NoBody))
	return w.Code, w.Body.String()
}

// await waits for a real engine to have done its work.
func await(t *testing.T, what string, yes func() bool) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); !yes(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

func TestLeaveHandsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.run()
	await(t, "the only node is active", a.Gate.IsActive)
	b := w.run()
	await(t, "the second is a member", func() bool {
		_, body := b.ask(http.MethodGet, "/health/ready")
		return strings.Contains(body, "Member status: Up")
	})
	standby := fmt.Sprintf(`"activeNode":%q`, a.config.Address)
	if code, body := b.ask(http.MethodGet, "/health/active"); code != http.StatusServiceUnavailable || !strings.Contains(body, standby) {
		t.Errorf("the standby's /health/active: %d %s", code, body)
	}
	if code, body := b.ask(http.MethodPost, "/orders"); code != http.StatusServiceUnavailable || !strings.Contains(body, standby) {
		t.Errorf("the standby's /orders: %d %s", code, body)
	}
	if code, body := a.ask(http.MethodPost, "/orders"); code != http.StatusOK || body != "done by "+a.config.Address+"\n" {
		t.Errorf("the active node's /orders: %d %s", code, body)
	}
	response, err := http.Get("http://" + a.config.Address + "/health/active")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("/health/active over the network: %v, %v", response, err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	response.Body.Close()
	http.DefaultClient.CloseIdleConnections()

	a.leave()
	if err := <-a.done; err != nil {
		t.Errorf("the node that left: %v", err)
	}
	await(t, "the second has taken over", b.Gate.IsActive)
	await(t, "the second has written", func() bool {
		runs := w.device.Journal()
		return runs[len(runs)-1].From == b.config.Address
	})
	runs := w.device.Journal()
	for i, r := range runs[1:] {
		if !r.Accepted || r.Token <= runs[i].Token {
			t.Errorf("the device's journal: %v; want growing tokens and nothing refused", runs)
		}
	}
}

func TestNodeWithoutItsEngine(t *testing.T) {
	t.Parallel()
	w := &world{t: t, engine: freeAddress(t), device: &device.Device{}}
	n := w.run()
	for path, want := range map[string]int{
		"/healthz":       http.StatusOK,                 // the process is well
		"/health/ready":  http.StatusOK,                 // and Degraded: all nodes would be taken out at once
		"/health/active": http.StatusServiceUnavailable, // and somebody else may be active
	} {
		if code, body := n.ask(http.MethodGet, path); code != want {
			t.Errorf("%s: %d, want %d: %s", path, code, want, body)
		}
	}
	if code, body := n.ask(http.MethodPost, "/orders"); code != http.StatusServiceUnavailable {
		t.Errorf("/orders: %d %s", code, body)
	}
	if len(w.device.Journal()) != 0 {
		t.Error("it wrote to the device")
	}
}

func TestBadConfig(t *testing.T) {
	kv, disconnect, err := engine.Open(engine.NATS, []string{"127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	defer disconnect()
	if _, err := New(Config{Address: "nowhere", TTL: 3 * time.Second, KV: kv}); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("got %v, want an error that names the address", err)
	}
}
