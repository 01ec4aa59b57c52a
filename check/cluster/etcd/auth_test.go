package etcd

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// R27: a user without rights is a state that the log explains, and that ends when
// the rights are given.
func TestUserWithoutRights(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	root := authenticated(t, s)
	if _, err := root.RoleAdd(t.Context(), "members"); err != nil {
		t.Fatal(err)
	}
	if _, err := root.UserAdd(t.Context(), "member", "right"); err != nil {
		t.Fatal(err)
	}
	if _, err := root.UserGrantRole(t.Context(), "member", "members"); err != nil {
		t.Fatal(err)
	}
	kv, err := New(connect(t, clientv3.Config{Username: "member", Password: "right"}, s.address()), prefixOfTests)
	if err != nil {
		t.Fatal(err)
	}
	node, log := run(t, kv)
	until(t, "the log says why", func() bool { return strings.Contains(log.String(), "permission denied") })
	if d := cluster.Ask(node); d.Active || d.Reason != cluster.ReasonStarting {
		t.Errorf("active %v, reason %v: want a node that is starting", d.Active, d.Reason)
	}
	end := clientv3.GetPrefixRangeEnd(prefixOfTests + "/")
	if _, err := root.RoleGrantPermission(t.Context(), "members", prefixOfTests+"/", end, clientv3.PermissionType(clientv3.PermReadWrite)); err != nil {
		t.Fatal(err)
	}
	until(t, "the node is active", func() bool { return cluster.Ask(node).Active })
}

// A wrong password is found by clientv3.New, before there is a KV. One that is
// changed later is found by the node, when its token is no longer accepted.
func TestPasswordThatIsChanged(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	root := authenticated(t, s)
	_, err := clientv3.New(clientv3.Config{Endpoints: []string{s.address()}, Username: "root", Password: "wrong", Logger: zap.NewNop()})
	if !errors.Is(err, rpctypes.ErrAuthFailed) {
		t.Errorf("error %v, want %v", err, rpctypes.ErrAuthFailed)
	}
	kv, err := New(connect(t, clientv3.Config{Username: "root", Password: "right"}, s.address()), prefixOfTests)
	if err != nil {
		t.Fatal(err)
	}
	node, log := run(t, kv)
	until(t, "the node is active", func() bool { return cluster.Ask(node).Active })
	if _, err := root.UserChangePassword(t.Context(), "root", "other"); err != nil { // which also ends its tokens
		t.Fatal(err)
	}
	until(t, "the log says why", func() bool { return strings.Contains(log.String(), "authentication failed") })
	until(t, "the node is fenced", func() bool { return !cluster.Ask(node).Active })
}

// authenticated turns authentication on, and returns a client of root's, whose
// password is "right".
func authenticated(t testing.TB, s *etcdServer) *clientv3.Client {
	t.Helper()
	first := connect(t, clientv3.Config{}, s.address())
	if _, err := first.UserAdd(t.Context(), "root", "right"); err != nil {
		t.Fatal(err)
	}
	if _, err := first.UserGrantRole(t.Context(), "root", "root"); err != nil {
		t.Fatal(err)
	}
	if _, err := first.AuthEnable(t.Context()); err != nil {
		t.Fatal(err)
	}
	return connect(t, clientv3.Config{Username: "root", Password: "right"}, s.address())
}

// run runs a node until the end of the test.
func run(t testing.TB, kv *KV) (*casmember.Node, *buffer) {
	t.Helper()
	log := &buffer{}
	node, err := casmember.New(kv, casmember.Config{Address: "10.0.0.1:4053", TTL: 2 * time.Second},
		casmember.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = node.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return node, log
}

// testLimit is how long a test waits for what must come.
const testLimit = 30 * time.Second

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
