package natskv

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

const bucketOfTests = "members"

// natsServer is a real server in this process, with its store on disk.
type natsServer struct {
	options server.Options

	mu      sync.Mutex
	server  *server.Server
	listens string
}

// startServer starts a server that is stopped at the end of the test.
func startServer(t testing.TB, change ...func(*server.Options)) *natsServer {
	t.Helper()
	s := &natsServer{options: server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT,
		JetStream: true, StoreDir: t.TempDir(),
		NoSigs: true, NoLog: true,
	}}
	for _, f := range change {
		f(&s.options)
	}
	s.start(t)
	t.Cleanup(func() { s.stop(t) })
	return s
}

func (s *natsServer) start(t testing.TB) {
	t.Helper()
	options := s.options
	fresh, err := server.NewServer(&options)
	if err != nil {
		t.Fatal(err)
	}
	go fresh.Start()
	if !fresh.ReadyForConnections(30 * time.Second) {
		t.Fatal("the server is not ready after 30 s")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server, s.listens = fresh, fresh.Addr().String()
}

func (s *natsServer) stop(testing.TB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

func (s *natsServer) address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listens
}

// connect returns the client as the package documentation wants it, with waits
// that suit a test.
func connect(t testing.TB, address string, more ...nats.Option) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect("nats://"+address, append([]nats.Option{
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.ReconnectWait(50 * time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2),
		nats.Timeout(time.Second),
	}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// newKV is a KV over a connection of its own.
func newKV(t testing.TB, address string) *KV {
	t.Helper()
	kv, err := New(connect(t, address), bucketOfTests)
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

// operator is a connection past the KV.
func operator(t testing.TB, address string) jetstream.KeyValue {
	t.Helper()
	bucket, err := connect(t, address).KeyValue(t.Context(), bucketOfTests)
	if err != nil {
		t.Fatal(err)
	}
	return bucket
}

func TestConformance(t *testing.T) {
	clustertest.TestKV(t, func(t testing.TB) *clustertest.Engine {
		s := startServer(t)
		return &clustertest.Engine{
			Address: s.address,
			Connect: func(t testing.TB, address string) casmember.KV { return newKV(t, address) },
			Stop:    s.stop,
			Start:   s.start,
			Delete: func(t testing.TB, key string) {
				t.Helper()
				if err := operator(t, s.address()).Delete(t.Context(), key); err != nil {
					t.Fatal(err)
				}
			},
			Compact: func(t testing.TB) {
				t.Helper()
				if err := operator(t, s.address()).PurgeDeletes(t.Context(), jetstream.DeleteMarkersOlderThan(-1)); err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}

// port is where the server listens.
func (s *natsServer) port() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.server.Addr().(*net.TCPAddr).Port
}
