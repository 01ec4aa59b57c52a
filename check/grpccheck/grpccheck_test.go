package grpccheck_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/grpccheck"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a real gRPC server on a loopback listener.
type server struct {
	address string
	health  *health.Server
	grpc    *grpc.Server
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// serve starts one; with bare set it has no health service.
func serve(t *testing.T, address string, bare bool) *server {
	t.Helper()
	l := listen(t, address)
	s := &server{address: l.Addr().String(), health: health.NewServer(), grpc: grpc.NewServer()}
	if !bare {
		healthpb.RegisterHealthServer(s.grpc, s.health)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.grpc.Serve(l)
	}()
	t.Cleanup(func() {
		s.grpc.Stop()
		<-ended
	})
	return s
}

// silent is a listener that accepts and never speaks.
func silent(t *testing.T) string {
	t.Helper()
	l := listen(t, "127.0.0.1:0")
	ended := make(chan struct{})
	var conns []net.Conn
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, conn)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-ended
		for _, conn := range conns {
			_ = conn.Close()
		}
	})
	return l.Addr().String()
}

func dial(t *testing.T, address string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 10 * time.Millisecond, Multiplier: 1, MaxDelay: 10 * time.Millisecond},
			MinConnectTimeout: 5 * time.Second,
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func run(t *testing.T, c check.Checker, s check.Sampling, opts ...check.Option) *check.Runner {
	t.Helper()
	s.NoReuse = true
	r, err := check.NewRunner("payments", c, s, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func want(t *testing.T, got check.Sample, outcome check.Outcome, text string) {
	t.Helper()
	if got.Outcome != outcome || got.Result.Description != text {
		t.Errorf("got %v %q (%v), want %v %q", got.Outcome, got.Result.Description, got.Result.Err, outcome, text)
	}
}

// eventually asks until the outcome is there: how long a connection waits
// before it tries again is grpc's affair.
func eventually(t *testing.T, r *check.Runner, outcome check.Outcome) check.Sample {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if s := r.Sample(t.Context()); s.Outcome == outcome {
			return s
		}
	}
	t.Fatalf("never %v", outcome)
	return check.Sample{}
}

func TestConnectsWithinTheLimit(t *testing.T) {
	s := serve(t, "127.0.0.1:0", true)
	conn := dial(t, s.address)
	if state := conn.GetState(); state != connectivity.Idle {
		t.Fatalf("the connection starts %v", state)
	}
	r := run(t, grpccheck.New(conn), check.Sampling{Limit: 10 * time.Second})
	want(t, r.Sample(t.Context()), check.OK, "reachable")
	want(t, r.Sample(t.Context()), check.OK, "reachable")
	if state := conn.GetState(); state != connectivity.Ready {
		t.Errorf("the connection is %v", state)
	}
}

// TestDownFailsAtOnce: a refused connection is told when it is refused, not
// when the limit has passed.
func TestDownFailsAtOnce(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	address := l.Addr().String()
	_ = l.Close()
	for name, opts := range map[string][]grpccheck.Option{"connect": nil, "health": {grpccheck.WithHealth("")}} {
		r := run(t, grpccheck.New(dial(t, address), opts...), check.Sampling{Limit: 20 * time.Second})
		for range 3 {
			got := r.Sample(t.Context())
			want(t, got, check.Failed, "unreachable")
			if got.Duration > 10*time.Second || got.Result.Err == nil {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

func TestGoesDownAndComesBack(t *testing.T) {
	for name, opts := range map[string][]grpccheck.Option{"connect": nil, "health": {grpccheck.WithHealth("")}} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "127.0.0.1:0", false)
			r := run(t, grpccheck.New(dial(t, s.address), opts...), check.Sampling{Limit: 10 * time.Second})
			if got := r.Sample(t.Context()); got.Outcome != check.OK {
				t.Fatalf("up: %+v", got)
			}
			s.grpc.Stop()
			want(t, eventually(t, r, check.Failed), check.Failed, "unreachable")
			serve(t, s.address, false)
			eventually(t, r, check.OK)
		})
	}
}

// TestHangs asks a server that accepts and never speaks: the limit decides,
// the check honours its context, and no run is left hung.
func TestHangs(t *testing.T) {
	address := silent(t)
	for name, opts := range map[string][]grpccheck.Option{"connect": nil, "health": {grpccheck.WithHealth("")}} {
		r := run(t, grpccheck.New(dial(t, address), opts...), check.Sampling{Limit: 100 * time.Millisecond})
		for range 2 {
			want(t, r.Sample(t.Context()), check.Timeout, "timeout")
		}
		for r.Hung() > 0 {
			time.Sleep(time.Millisecond) // it returns once it sees its context end
		}
		if late := r.Events().LateAnswers; late == 0 {
			t.Errorf("%s: the run did not end with its context", name)
		}
	}
}

func TestClosedConnection(t *testing.T) {
	conn := dial(t, serve(t, "127.0.0.1:0", true).address)
	r := run(t, grpccheck.New(conn), check.Sampling{})
	_ = conn.Close()
	want(t, r.Sample(t.Context()), check.Failed, "unreachable")
}

func TestHealthService(t *testing.T) {
	s := serve(t, "127.0.0.1:0", false)
	bare := serve(t, "127.0.0.1:0", true)
	conn, bareConn := dial(t, s.address), dial(t, bare.address)
	const service = "payments.v1.Payments"
	for _, tt := range []struct {
		name    string
		conn    *grpc.ClientConn
		service string
		set     healthpb.HealthCheckResponse_ServingStatus
		outcome check.Outcome
		text    string
	}{
		{"serving", conn, service, healthpb.HealthCheckResponse_SERVING, check.OK, "serving"},
		{"not serving", conn, service, healthpb.HealthCheckResponse_NOT_SERVING, check.Failed, "not serving"},
		{"unknown", conn, service, healthpb.HealthCheckResponse_UNKNOWN, check.Failed, "not serving"},
		{"a status of the future", conn, service, 77, check.Failed, "not serving"},
		{"serving again", conn, service, healthpb.HealthCheckResponse_SERVING, check.OK, "serving"},
		{"the server as a whole", conn, "", healthpb.HealthCheckResponse_SERVING, check.OK, "serving"},
		{"another service", conn, "no.such.Service", healthpb.HealthCheckResponse_SERVING, check.Failed, "service unknown"},
		{"no health service", bareConn, "", healthpb.HealthCheckResponse_SERVING, check.Failed, "no health service"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.health.SetServingStatus(service, tt.set)
			r := run(t, grpccheck.New(tt.conn, grpccheck.WithHealth(tt.service)), check.Sampling{Limit: 10 * time.Second})
			want(t, r.Sample(t.Context()), tt.outcome, tt.text)
		})
	}
}

// TestProbe is S1.34.
func TestProbe(t *testing.T) {
	boom := errors.New("boom")
	for _, tt := range []struct {
		name    string
		ok      bool
		err     error
		outcome check.Outcome
		text    string
	}{
		{"true", true, nil, check.OK, "reachable"},
		{"false", false, nil, check.Failed, "probe refused"},
		{"error", false, boom, check.Failed, "unreachable"},
		{"true with an error", true, boom, check.Failed, "unreachable"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := dial(t, "127.0.0.1:1")
			var got grpc.ClientConnInterface
			r := run(t, grpccheck.New(conn, grpccheck.WithProbe(func(_ context.Context, c grpc.ClientConnInterface) (bool, error) {
				got = c
				return tt.ok, tt.err
			})), check.Sampling{})
			s := r.Sample(t.Context())
			want(t, s, tt.outcome, tt.text)
			if got != conn || !errors.Is(s.Result.Err, tt.err) {
				t.Errorf("the probe got %v; err %v", got, s.Result.Err)
			}
			if state := conn.GetState(); state != connectivity.Idle {
				t.Errorf("the default was called too: the connection is %v", state)
			}
		})
	}
}

// fake is a connection without a state to ask for.
type fake struct{ err error }

func (f fake) Invoke(context.Context, string, any, any, ...grpc.CallOption) error { return f.err }
func (f fake) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, f.err
}

func TestRefused(t *testing.T) {
	var none *grpc.ClientConn
	probe := grpccheck.WithProbe(func(context.Context, grpc.ClientConnInterface) (bool, error) { return true, nil })
	for _, tt := range []struct {
		name string
		c    check.Checker
		want string
	}{
		{"nil", grpccheck.New(nil), "grpccheck: conn nil: must not be nil"},
		{"typed nil", grpccheck.New(none), "grpccheck: conn nil: must not be nil"},
		{"nil probe", grpccheck.New(fake{}, grpccheck.WithProbe(nil)), "grpccheck: probe nil: must not be nil"},
		{"no state", grpccheck.New(fake{}), "grpccheck: conn grpccheck_test.fake: must have Connect, GetState and WaitForStateChange, or be given a probe"},
		{"two options", grpccheck.New(fake{}, probe, grpccheck.WithHealth("")), `grpccheck: options ["probe" "health"]: at most one may be given`},
		{"no state but a probe", grpccheck.New(fake{}, probe, nil), ""},
		{"no state but health", grpccheck.New(fake{}, grpccheck.WithHealth("")), ""},
	} {
		_, err := check.NewRunner("payments", tt.c, check.Sampling{})
		if text := fmt.Sprint(err); tt.want == "" && err != nil || tt.want != "" && text != tt.want {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestSecretsStayInTheLog: what a server or grpc says is for the log only.
func TestSecretsStayInTheLog(t *testing.T) {
	for _, code := range []codes.Code{codes.Unavailable, codes.NotFound, codes.Unimplemented, codes.PermissionDenied, codes.Internal} {
		leak := status.Error(code, "token=hunter2")
		for name, option := range map[string]grpccheck.Option{
			"health": grpccheck.WithHealth(""),
			"probe":  grpccheck.WithProbe(func(context.Context, grpc.ClientConnInterface) (bool, error) { return false, leak }),
		} {
			t.Run(fmt.Sprint(name, " ", code), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var log bytes.Buffer
					r := run(t, grpccheck.New(fake{leak}, option), check.Sampling{},
						check.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
					s := r.Sample(t.Context())
					synctest.Wait()
					if shown := fmt.Sprint(s.Result.Description, s.Result.Data); strings.Contains(shown, "hunter2") || s.Outcome != check.Failed {
						t.Errorf("shown to clients: %v %s", s.Outcome, shown)
					}
					if !strings.Contains(log.String(), "hunter2") {
						t.Errorf("the log does not tell the cause: %q", log.String())
					}
				})
			})
		}
	}
}
