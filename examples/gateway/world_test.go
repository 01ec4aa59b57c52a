package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/examples/gateway"
)

// start serves a gateway on a loopback port until the test ends.
func start(t *testing.T, c gateway.Config) (server *gateway.Server, address string) {
	t.Helper()
	server, err := gateway.New(c)
	if err != nil {
		t.Fatal(err)
	}
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serve(t, server, at)
	return server, at.Addr().String()
}

// serve serves until the test ends, or stop is called.
func serve(t *testing.T, server *gateway.Server, at net.Listener) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, at) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the server ended with %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// dial connects to a gateway until the test ends.
func dial(t *testing.T, target string, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	connection, err := grpc.NewClient(target, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// subscriber opens a session and returns what subscribes in it, supervised.
func subscriber(t *testing.T, c grpc.ClientConnInterface, o resubscribe.SessionOptions) (*gateway.Client, *resubscribe.Session, *resubscribe.Subscriber) {
	t.Helper()
	client := gateway.NewClient(c)
	session, err := resubscribe.OpenSession(t.Context(), o, client.Open)
	if err != nil {
		t.Fatal(err)
	}
	s, err := resubscribe.NewSubscriber(session, client, resubscribe.SubscriberConfig{Supervisory: true})
	if err != nil {
		t.Fatal(err)
	}
	return client, session, s
}

// tanks names n items.
func tanks(n int) []string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf("tank-%03d", i)
	}
	return items
}

// lines keeps what was logged.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) logger() *slog.Logger { return slog.New(l) }

func (l *lines) read() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// Enabled, Handle, WithAttrs and WithGroup make it a slog.Handler.
func (*lines) Enabled(context.Context, slog.Level) bool { return true }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, r.Level.String()+" "+r.Message)
	return nil
}
func (l *lines) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l *lines) WithGroup(string) slog.Handler      { return l }
