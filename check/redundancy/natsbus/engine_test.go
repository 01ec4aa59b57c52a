package natsbus

import (
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/check/redundancy/redundancytest"
)

const prefixOfTests = "plant-1.warm"

// natsServer is a real server in this process.
type natsServer struct {
	options server.Options

	mu      sync.Mutex
	server  *server.Server
	listens string
}

// startServer starts a server that is stopped at the end of the test.
func startServer(t testing.TB, change ...func(*server.Options)) *natsServer {
	t.Helper()
	s := &natsServer{options: server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true}}
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

// connect returns a connection as the package documentation wants it, with waits
// that suit a test.
func connect(t testing.TB, address string, more ...nats.Option) *nats.Conn {
	t.Helper()
	conn, err := nats.Connect("nats://"+address, append([]nats.Option{
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.ReconnectWait(50 * time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2),
		nats.Timeout(time.Second), nats.FlusherTimeout(2 * time.Second),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // the default one prints
	}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

func newBus(t testing.TB, conn *nats.Conn, prefix string) *Bus {
	t.Helper()
	bus, err := New(conn, prefix)
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
