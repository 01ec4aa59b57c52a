package grpcgate_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/loopvitals/loopvitals/tiers"
	"github.com/loopvitals/loopvitals/tiers/grpcgate"
)

// canary must not reach a client.
const canary = "password=hunter2"

type (
	upload   = grpc.ClientStreamingServer[grpc_testing.StreamingInputCallRequest, grpc_testing.StreamingInputCallResponse]
	download = grpc.ServerStreamingServer[grpc_testing.StreamingOutputCallResponse]
	duplex   = grpc.BidiStreamingServer[grpc_testing.StreamingOutputCallRequest, grpc_testing.StreamingOutputCallResponse]
)

// service has a method of each kind. It counts the calls that reach it.
type service struct {
	grpc_testing.UnimplementedTestServiceServer
	calls    atomic.Int64
	unary    func(ctx context.Context) error
	upload   func(upload) error
	download func(download) error
	duplex   func(duplex) error
}

func (s *service) UnaryCall(ctx context.Context, _ *grpc_testing.SimpleRequest) (*grpc_testing.SimpleResponse, error) {
	s.calls.Add(1)
	if s.unary != nil {
		if err := s.unary(ctx); err != nil {
			return nil, err
		}
	}
	return &grpc_testing.SimpleResponse{Username: "done"}, nil
}

func (s *service) StreamingInputCall(stream upload) error {
	s.calls.Add(1)
	if s.upload != nil {
		return s.upload(stream)
	}
	return stream.SendAndClose(&grpc_testing.StreamingInputCallResponse{})
}

func (s *service) StreamingOutputCall(_ *grpc_testing.StreamingOutputCallRequest, stream download) error {
	s.calls.Add(1)
	if s.download != nil {
		return s.download(stream)
	}
	return stream.Send(&grpc_testing.StreamingOutputCallResponse{})
}

func (s *service) FullDuplexCall(stream duplex) error {
	s.calls.Add(1)
	if s.duplex != nil {
		return s.duplex(stream)
	}
	return stream.Send(&grpc_testing.StreamingOutputCallResponse{})
}

// client calls a real server over TCP on the loopback interface.
type client struct {
	grpc_testing.TestServiceClient
	conn *grpc.ClientConn
}

// serve starts a server of s behind the gate. The options precede the
// interceptors of the gate, as a recovery's would.
func serve(t testing.TB, s *service, g tiers.Gate, opts []grpcgate.Option, server ...grpc.ServerOption) client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server = append(server,
		grpc.ChainUnaryInterceptor(grpcgate.UnaryServerInterceptor(g, opts...)),
		grpc.ChainStreamInterceptor(grpcgate.StreamServerInterceptor(g, opts...)),
		grpc.WaitForHandlers(true))
	srv := grpc.NewServer(server...)
	grpc_testing.RegisterTestServiceServer(srv, s)
	healthpb.RegisterHealthServer(srv, health.NewServer())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = srv.Serve(l)
	}()
	t.Cleanup(func() {
		srv.Stop()
		<-ended
	})
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return client{grpc_testing.NewTestServiceClient(conn), conn}
}

// within is the deadline of all that a test asks of a server: one that is not
// met is a failure, and none is waited for in vain.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// calls makes one call of each kind and returns how it ended.
var calls = map[string]func(context.Context, client) error{
	"unary": func(ctx context.Context, c client) error {
		_, err := c.UnaryCall(ctx, &grpc_testing.SimpleRequest{})
		return err
	},
	"upload": func(ctx context.Context, c client) error {
		s, err := c.StreamingInputCall(ctx)
		if err == nil {
			_, err = s.CloseAndRecv()
		}
		return err
	},
	"download": func(ctx context.Context, c client) error {
		s, err := c.StreamingOutputCall(ctx, &grpc_testing.StreamingOutputCallRequest{})
		if err == nil {
			_, err = s.Recv()
		}
		return err
	},
	"duplex": func(ctx context.Context, c client) error {
		s, err := c.FullDuplexCall(ctx)
		if err == nil {
			_, err = s.Recv()
		}
		return err
	},
}

// wantNotActive fails the test unless err is the refusal of a closed gate.
func wantNotActive(t *testing.T, err error) {
	t.Helper()
	if _, ok := grpcgate.NotActive(err); !ok || status.Code(err) != codes.Unavailable {
		t.Errorf("not the refusal of a closed gate: %v", err)
	}
}

// gate has nothing but IsActive.
type gate func() bool

func (g gate) IsActive() bool { return g() }

// tenure is a Gate that admits until it has ended.
type tenure struct {
	over     context.Context
	end      context.CancelCauseFunc
	released atomic.Int64
}

var errLost = errors.New("lost the role: " + canary)

func newTenure(t testing.TB) *tenure {
	g := &tenure{}
	g.over, g.end = context.WithCancelCause(context.Background())
	t.Cleanup(func() { g.end(nil) })
	return g
}

func (g *tenure) IsActive() bool { return g.over.Err() == nil }

func (g *tenure) Enter(ctx context.Context) (context.Context, func(), error) {
	if g.over.Err() != nil {
		return nil, nil, errLost
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(g.over, func() { cancel(context.Cause(g.over)) })
	return ctx, func() {
		g.released.Add(1)
		stop()
		cancel(nil)
	}, nil
}
