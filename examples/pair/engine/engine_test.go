package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
	"github.com/loopvitals/loopvitals/examples/pair/freeport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestServeAndOpen(t *testing.T) {
	for _, kind := range []Kind{NATS, Etcd} {
		t.Run(string(kind), func(t *testing.T) {
			address, err := freeport.Address("127.0.0.1")
			if err != nil {
				t.Fatal(err)
			}
			// The store is opened before it is there, as by a node that
			// starts first.
			kv, disconnect, err := Open(kind, []string{address})
			if err != nil {
				t.Fatal(err)
			}
			defer disconnect()

			ctx, stop := context.WithCancel(t.Context())
			ready, done := make(chan struct{}), make(chan error, 1)
			go func() { done <- Serve(ctx, kind, address, t.TempDir(), func() { close(ready) }) }()
			select {
			case <-ready:
			case err := <-done:
				t.Fatal(err)
			}
			write, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			revision := uint64(0)
			for revision == 0 && write.Err() == nil {
				revision, err = kv.Create(write, "a", []byte("{}"))
			}
			if err != nil && !errors.Is(err, casmember.ErrConflict) {
				t.Errorf("create: %v", err)
			}
			stop()
			if err := <-done; err != nil {
				t.Errorf("serve: %v", err)
			}
		})
	}
}

func TestBadArguments(t *testing.T) {
	if k, err := Parse("redis"); err == nil || err.Error() != `engine "redis": must be "nats" or "etcd"` {
		t.Errorf("got %q, %v", k, err)
	}
	for _, kind := range []Kind{NATS, Etcd} {
		for _, address := range []string{"", "127.0.0.1", "127.0.0.1:port"} {
			err := Serve(t.Context(), kind, address, t.TempDir(), func() { t.Error("ready") })
			if err == nil || !strings.Contains(err.Error(), "must be HOST:PORT") {
				t.Errorf("%s on %q: got %v", kind, address, err)
			}
		}
	}
}
