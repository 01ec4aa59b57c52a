// Package gateway is a gateway to a system that can do one thing at a time, and its
// client: what a consumer has to do with that must not make slow worse. The server
// speaks gRPC, has a worker that is really single-threaded, and can be of the version
// before or after supervised subscriptions of many items.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/examples/gateway/gatewaypb"
)

// Version of a server.
type Version uint8

// The versions.
const (
	// Newest subscribes to many items, supervised, in one request, and says so.
	Newest Version = iota
	// First does not know the field that asks for that, and drops it.
	First
)

// capabilities are what a server of this version says it can do.
func (v Version) capabilities() []string {
	all := []string{"unary-open-session", "bulk-subscribe-commands", "server-stream-changes"}
	if v == Newest {
		all = append(all, resubscribe.BulkSupervisory)
	}
	return all
}

// DefaultCommandTimeout is the time limit of commands in sessions that ask for none.
const DefaultCommandTimeout = 30 * time.Second

// Config says how a Server works. A zero field is not set and takes its default.
type Config struct {
	Version Version
	// CommandTime is how long the worker takes over each command, and ItemTime
	// over each item of it, and as long again to advise one. 0 is no time.
	CommandTime, ItemTime time.Duration
	// CommandTimeout holds for commands of sessions that ask for none. 0 is
	// DefaultCommandTimeout.
	CommandTimeout time.Duration
	// MaxCommandTimeout is the longest that a session gets. 0 is no limit.
	MaxCommandTimeout time.Duration
	// Fault tells why an item cannot be added and why it cannot be advised; empty
	// is that it can. It is called by the worker. Nil is no faults.
	Fault func(item string) (add, advise string)
}

// Server is the gateway. It may be used by any number of goroutines.
type Server struct {
	gatewaypb.UnimplementedGatewayServer

	config  Config
	worker  *worker
	grpc    *grpc.Server
	traffic traffic

	mu       sync.Mutex
	sessions map[string]*session
	opened   int
}

// New returns a Server that does not serve yet.
func New(c Config) (*Server, error) {
	for _, f := range []struct {
		name  string
		value time.Duration
	}{
		{"command time", c.CommandTime},
		{"item time", c.ItemTime},
		{"command timeout", c.CommandTimeout},
		{"max command timeout", c.MaxCommandTimeout},
	} {
		if f.value < 0 {
			return nil, fmt.Errorf("gateway: %s %v: must not be negative", f.name, f.value)
		}
	}
	if c.CommandTimeout == 0 {
		c.CommandTimeout = DefaultCommandTimeout
	}
	if c.Fault == nil {
		c.Fault = func(string) (string, string) { return "", "" }
	}
	options, err := c.Version.options()
	if err != nil {
		return nil, err
	}
	s := &Server{
		config: c, worker: newWorker(c.CommandTime, c.ItemTime),
		traffic: traffic{requests: map[string]int{}}, sessions: map[string]*session{},
	}
	s.grpc = grpc.NewServer(append(options, grpc.UnaryInterceptor(s.traffic.count))...)
	gatewaypb.RegisterGatewayServer(s.grpc, s)
	return s, nil
}

// Serve answers requests that come in at the listener until ctx ends, and then drops
// all that are under way. It can be called once.
func (s *Server) Serve(ctx context.Context, at net.Listener) error {
	work, cancel := context.WithCancel(ctx)
	defer cancel()
	var joined sync.WaitGroup
	joined.Go(func() { s.worker.run(work) })
	joined.Go(func() {
		<-work.Done()
		s.grpc.Stop()
	})
	err := s.grpc.Serve(at)
	cancel()
	joined.Wait()
	if err == nil || errors.Is(err, grpc.ErrServerStopped) {
		return ctx.Err()
	}
	return fmt.Errorf("gateway: %w", err)
}

// Stall stops the worker before its next command, or lets it go on.
func (s *Server) Stall(on bool) { s.worker.stall(on) }
