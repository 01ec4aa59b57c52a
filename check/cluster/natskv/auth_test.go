package natskv

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// R27: a password that is wrong is a state that the log explains, and that ends
// when the password is right.
func TestWrongPassword(t *testing.T) {
	s := startServer(t, func(o *server.Options) { o.Username, o.Password = "member", "right" })
	js := connect(t, s.address(), nats.UserInfo("member", "wrong"), nats.IgnoreAuthErrorAbort())
	kv, err := New(js, bucketOfTests)
	if err != nil {
		t.Fatal(err)
	}
	var log buffer
	node, err := casmember.New(kv, casmember.Config{Address: "10.0.0.1:4053", TTL: 2 * time.Second},
		casmember.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { _ = node.Run(ctx) })
	defer run.Wait()
	defer cancel()

	until(t, "the log says why", func() bool { return strings.Contains(log.String(), "Authorization Violation") })
	if d := cluster.Ask(node); d.Active || d.Reason != cluster.ReasonStarting {
		t.Errorf("active %v, reason %v: want a node that is starting", d.Active, d.Reason)
	}
	options := s.options
	options.Port, options.Password = s.port(), "wrong"
	if err := s.server.ReloadOptions(&options); err != nil {
		t.Fatal(err)
	}
	until(t, "the node is active", func() bool { return cluster.Ask(node).Active })
}

// until polls what must become true.
func until(t testing.TB, what string, reached func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testLimit); !reached(); {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", testLimit, what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// buffer is a log that a test reads.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
