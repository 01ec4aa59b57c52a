package natsbus

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

var _ redundancy.Bus = (*Bus)(nil)

func TestNewRefuses(t *testing.T) {
	const rule = ": must be words of letters, digits, - and _, joined by dots, 1 to 128 bytes"
	conn := &nats.Conn{} // New asks nobody
	deaf := &nats.Conn{Opts: nats.Options{NoEcho: true}}
	for name, test := range map[string]struct {
		conn   *nats.Conn
		prefix string
		want   string
	}{
		"nil":       {nil, "orders", "natsbus: conn nil: must not be nil"},
		"no echo":   {deaf, "orders", "natsbus: conn with NoEcho: must hear what it publishes"},
		"no prefix": {conn, "", `natsbus: prefix ""` + rule},
		"no word":   {conn, "orders..warm", `natsbus: prefix "orders..warm"` + rule},
		"dot first": {conn, ".orders", `natsbus: prefix ".orders"` + rule},
		"dot last":  {conn, "orders.", `natsbus: prefix "orders."` + rule},
		"wildcard":  {conn, "orders.*", `natsbus: prefix "orders.*"` + rule},
		"rest":      {conn, ">", `natsbus: prefix ">"` + rule},
		"space":     {conn, "or ders", `natsbus: prefix "or ders"` + rule},
		"line feed": {conn, "orders\n", `natsbus: prefix "orders\n"` + rule},
		"system":    {conn, "$SYS", `natsbus: prefix "$SYS"` + rule},
		"too long":  {conn, strings.Repeat("p", 129), `natsbus: prefix "` + strings.Repeat("p", 129) + `"` + rule},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(test.conn, test.prefix); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
	for _, prefix := range []string{"o", "Plant-1.line_2", strings.Repeat("p", 128)} {
		if _, err := New(conn, prefix); err != nil {
			t.Errorf("prefix %q: error %v, want none", prefix, err)
		}
	}
}

func TestWithoutABus(t *testing.T) {
	for name, bus := range map[string]*Bus{"nil": nil, "zero": {}} {
		if err := bus.Publish(t.Context(), "test", nil); err == nil {
			t.Errorf("%s: no error of Publish, want one", name)
		}
		if err := bus.Subscribe(t.Context(), func([]byte) {}); err == nil {
			t.Errorf("%s: no error of Subscribe, want one", name)
		}
	}
}

// testLimit is how long a test waits for what takes a moment.
const testLimit = 30 * time.Second

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(testLimit); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, testLimit)
		}
	}
}

// heard is what a subscriber has been told.
type heard struct {
	mu  sync.Mutex
	all map[string]bool
}

func (h *heard) has(message string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all[message]
}

// listen subscribes until the end of the test.
func listen(t *testing.T, bus *Bus) *heard {
	t.Helper()
	h := &heard{all: map[string]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = bus.Subscribe(ctx, func(message []byte) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.all[string(message)] = true
		})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return h
}

// deliver publishes until it was heard.
func deliver(t *testing.T, bus *Bus, message string, h *heard) {
	t.Helper()
	until(t, message+" is heard", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = bus.Publish(ctx, "test", []byte(message))
		return h.has(message)
	})
}

// Two clusters must not hear each other, also when one's prefix begins like the
// other's.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	conn := connect(t, startServer(t).address())
	orders, orders2 := newBus(t, conn, "orders"), newBus(t, conn, "orders2")
	h := listen(t, orders)
	deliver(t, orders, "one", h)
	if err := orders2.Publish(t.Context(), "test", []byte("of another")); err != nil {
		t.Fatal(err)
	}
	deliver(t, orders, "two", h)
	if h.has("of another") {
		t.Error("a message under orders2 was heard under orders")
	}
}

// A message that could not be sent is not sent when it can be again: its probes
// would be taken for new ones. The client would have kept it.
func TestNothingIsKeptForLater(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	conn := connect(t, s.address())
	bus := newBus(t, conn, prefixOfTests)
	h := listen(t, bus)
	deliver(t, bus, "before", h)
	s.options.Port = s.server.Addr().(*net.TCPAddr).Port // where the client looks for it
	s.stop(t)
	until(t, "the client knows that the server is gone", func() bool { return conn.Status() == nats.RECONNECTING })
	err := bus.Publish(t.Context(), "test", []byte("meanwhile"))
	if want := "natsbus: publish: connection RECONNECTING: must be CONNECTED"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	s.start(t)
	deliver(t, bus, "after", h)
	if h.has("meanwhile") {
		t.Error("a message that could not be sent was sent later")
	}
}

func TestClosedConnection(t *testing.T) {
	t.Parallel()
	conn := connect(t, startServer(t).address())
	bus := newBus(t, conn, prefixOfTests)
	first := make(chan struct{})
	returned := make(chan error, 1)
	go func() {
		heard := sync.OnceFunc(func() { close(first) })
		returned <- bus.Subscribe(context.Background(), func([]byte) { heard() })
	}()
	until(t, "it is subscribed", func() bool {
		_ = bus.Publish(t.Context(), "test", nil)
		select {
		case <-first:
			return true
		default:
			return false
		}
	})
	conn.Close()
	select {
	case err := <-returned:
		if !errors.Is(err, nats.ErrConnectionClosed) {
			t.Errorf("error %v of Subscribe, want %v", err, nats.ErrConnectionClosed)
		}
	case <-time.After(testLimit):
		t.Error("Subscribe goes on without a connection")
	}
	if err := bus.Publish(t.Context(), "test", nil); err == nil {
		t.Error("no error of Publish, want one")
	}
	if err := bus.Subscribe(t.Context(), func([]byte) {}); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("error %v of Subscribe, want %v", err, nats.ErrConnectionClosed)
	}
}

// A server may take less than a Bus must carry, which Publish says.
func TestServerThatTakesLess(t *testing.T) {
	t.Parallel()
	s := startServer(t, func(o *server.Options) { o.MaxPayload = 1000 })
	bus := newBus(t, connect(t, s.address()), prefixOfTests)
	if err := bus.Publish(t.Context(), "test", make([]byte, 1000)); err != nil {
		t.Errorf("error %v at the bound, want none", err)
	}
	if err := bus.Publish(t.Context(), "test", make([]byte, 1001)); !errors.Is(err, nats.ErrMaxPayload) {
		t.Errorf("error %v past the bound, want %v", err, nats.ErrMaxPayload)
	}
}

func TestMissingPermission(t *testing.T) {
	t.Parallel()
	s := startServer(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "user", Password: "password", Permissions: &server.Permissions{
			Subscribe: &server.SubjectPermission{Deny: []string{">"}},
		}}}
	})
	conn := connect(t, s.address(), nats.UserInfo("user", "password"), nats.PermissionErrOnSubscribe(true))
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	if err := newBus(t, conn, prefixOfTests).Subscribe(ctx, func([]byte) {}); !errors.Is(err, nats.ErrPermissionViolation) {
		t.Errorf("error %v, want %v", err, nats.ErrPermissionViolation)
	}
}

// What a stranger sends does not end a subscription.
func TestStranger(t *testing.T) {
	t.Parallel()
	conn := connect(t, startServer(t).address())
	bus := newBus(t, conn, prefixOfTests)
	returned := make(chan error, 1)
	h := &heard{all: map[string]bool{}}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		returned <- bus.Subscribe(ctx, func(message []byte) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.all[string(message)] = true
		})
	}()
	deliver(t, bus, "before", h)
	if err := conn.PublishMsg(&nats.Msg{Subject: prefixOfTests + ".test", Header: nats.Header{"Status": {"503"}}}); err != nil {
		t.Fatal(err)
	}
	deliver(t, bus, "after", h)
	cancel()
	if err := <-returned; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
