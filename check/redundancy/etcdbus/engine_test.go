package etcdbus

import (
	"net/url"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/check/redundancy/redundancytest"
)

const prefixOfTests = "/plant-1/warm"

// etcdServer is a real server in this process, with its store on disk.
type etcdServer struct {
	folder string
	name   string
	peers  map[string]string // the peer URL of each server by its name; nil for a single one

	mu      sync.Mutex
	server  *embed.Etcd
	listens string
}

// startServer starts a server that is stopped at the end of the test.
func startServer(t testing.TB) *etcdServer {
	t.Helper()
	s := &etcdServer{folder: t.TempDir(), name: "single"}
	s.start(t)
	t.Cleanup(func() { s.stop(t) })
	return s
}

func (s *etcdServer) start(t testing.TB) {
	t.Helper()
	s.begin(t)
	s.waitReady(t)
}

// begin starts the server; one of several is not ready before the others are.
func (s *etcdServer) begin(t testing.TB) {
	t.Helper()
	anyPort := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	c := embed.NewConfig()
	c.Dir, c.Name = s.folder, s.name
	c.ListenClientUrls, c.AdvertiseClientUrls = anyPort, anyPort
	c.ListenPeerUrls, c.AdvertisePeerUrls = anyPort, anyPort
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	if s.peers != nil {
		own := []url.URL{{Scheme: "http", Host: s.peers[s.name]}}
		c.ListenPeerUrls, c.AdvertisePeerUrls = own, own
		c.InitialCluster = ""
		for name, host := range s.peers {
			c.InitialCluster += "," + name + "=http://" + host
		}
		c.InitialCluster = c.InitialCluster[1:]
	}
	c.UnsafeNoFsync = true // the tests end the server, and never the kernel
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	fresh, err := embed.StartEtcd(c)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server, s.listens = fresh, fresh.Clients[0].Addr().String()
}

func (s *etcdServer) waitReady(t testing.TB) {
	t.Helper()
	select {
	case <-s.server.Server.ReadyNotify():
	case <-time.After(60 * time.Second):
		t.Fatal("the server is not ready after 60 s")
	}
}

func (s *etcdServer) stop(testing.TB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server.Close()
}

func (s *etcdServer) address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listens
}

// connect returns the client as the package documentation wants it, with waits
// that suit a test.
func connect(t testing.TB, addresses ...string) *clientv3.Client {
	t.Helper()
	wait := backoff.DefaultConfig
	wait.BaseDelay, wait.MaxDelay = 50*time.Millisecond, 200*time.Millisecond
	client, err := clientv3.New(clientv3.Config{
		Endpoints:            addresses,
		DialKeepAliveTime:    10 * time.Second,
		DialKeepAliveTimeout: 5 * time.Second,
		DialOptions:          []grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{Backoff: wait, MinConnectTimeout: time.Second})},
		Logger:               zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func newBus(t testing.TB, client *clientv3.Client, prefix string) *Bus {
	t.Helper()
	bus, err := New(client, prefix)
	if err != nil {
		t.Fatal(err)
	}
	return bus
}

func TestConformance(t *testing.T) {
	t.Parallel()
	redundancytest.TestBus(t, func(t testing.TB) redundancytest.Harness {
		s := startServer(t)
		return redundancytest.Harness{
			Connect: func(t testing.TB, address string) redundancy.Bus {
				return newBus(t, connect(t, address), prefixOfTests)
			},
			Address: s.address,
			Stop:    s.stop,
			Start:   s.start,
		}
	})
}
