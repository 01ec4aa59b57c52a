package grpcgate_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/loopvitals/loopvitals/tiers/grpcgate"
)

// TestStreamThatOutlivesTheTenure ends with Unavailable whatever its handler is
// doing and whatever it makes of it; an error of another cause stands.
func TestStreamThatOutlivesTheTenure(t *testing.T) {
	big := &grpc_testing.StreamingOutputCallResponse{Payload: &grpc_testing.Payload{Body: make([]byte, 1<<16)}}
	for name, c := range map[string]struct {
		handler func(duplex) error
		want    codes.Code
	}{
		"waits for the client": {func(s duplex) error { _, err := s.Recv(); return err }, codes.Unavailable},
		"sends to a client that does not read": {func(s duplex) error {
			for {
				if err := s.Send(big); err != nil {
					return err
				}
			}
		}, codes.Unavailable},
		"does both": {func(s duplex) error {
			received := make(chan error)
			go func() { _, err := s.Recv(); received <- err }()
			for s.Send(big) == nil {
			}
			return <-received
		}, codes.Unavailable},
		"waits for its context":     {func(s duplex) error { <-s.Context().Done(); return nil }, codes.Unavailable},
		"returns the context's end": {func(s duplex) error { <-s.Context().Done(); return s.Context().Err() }, codes.Unavailable},
		"returns the cause":         {func(s duplex) error { <-s.Context().Done(); return context.Cause(s.Context()) }, codes.Unavailable},
		"hides the error":           {func(s duplex) error { _, _ = s.Recv(); return nil }, codes.Unavailable},
		"takes it for the end": {func(s duplex) error {
			for {
				if _, err := s.Recv(); err != nil {
					_ = s.Send(&grpc_testing.StreamingOutputCallResponse{}) // a last word
					return nil
				}
			}
		}, codes.Unavailable},
		"fails of another cause": {func(s duplex) error {
			<-s.Context().Done()
			return status.Error(codes.DataLoss, "mine")
		}, codes.DataLoss},
		"wraps the error": {func(s duplex) error {
			_, err := s.Recv()
			return errors.Join(errors.New("orders"), err)
		}, codes.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			g := newTenure(t)
			ctx := within(t)
			began, returned := make(chan struct{}), make(chan struct{})
			client := serve(t, &service{duplex: func(s duplex) error {
				if err := s.Send(&grpc_testing.StreamingOutputCallResponse{}); err != nil {
					t.Errorf("within the tenure: %v", err)
				}
				close(began)
				err := c.handler(s)
				close(returned)
				if g.released.Load() != 0 {
					t.Error("released while the handler ran")
				}
				return err
			}}, g, nil)
			stream, err := client.FullDuplexCall(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = stream.Recv(); err != nil {
				t.Fatal(err)
			}
			<-began
			g.end(errLost)
			select {
			case <-returned: // before the client reads on
			case <-ctx.Done():
				t.Fatal("the handler does not return")
			}
			for err == nil {
				_, err = stream.Recv()
			}
			if status.Code(err) != c.want {
				t.Errorf("%v, want %v", err, c.want)
			}
			if c.want == codes.Unavailable {
				wantNotActive(t, err)
			}
		})
	}
}

// TestUploadThatOutlivesTheTenure is told that it was in vain, and may be
// repeated at the next node.
func TestUploadThatOutlivesTheTenure(t *testing.T) {
	g := newTenure(t)
	got := make(chan struct{}, 1)
	client := serve(t, &service{upload: func(s upload) error {
		for {
			if _, err := s.Recv(); err == io.EOF {
				return s.SendAndClose(&grpc_testing.StreamingInputCallResponse{})
			} else if err != nil {
				return err
			}
			got <- struct{}{}
		}
	}}, g, nil)
	stream, err := client.StreamingInputCall(within(t))
	if err == nil {
		err = stream.Send(&grpc_testing.StreamingInputCallRequest{})
	}
	if err != nil {
		t.Fatal(err)
	}
	<-got
	g.end(errLost)
	_, err = stream.CloseAndRecv()
	wantNotActive(t, err)
}

// TestStreamWithinTheTenure is the stream that it would be without a gate.
func TestStreamWithinTheTenure(t *testing.T) {
	g := newTenure(t)
	client := serve(t, &service{duplex: func(s duplex) error {
		for {
			request, err := s.Recv()
			if err == io.EOF {
				return status.Error(codes.Aborted, "mine")
			}
			if err != nil {
				return err
			}
			if err = s.Send(&grpc_testing.StreamingOutputCallResponse{Payload: request.GetPayload()}); err != nil {
				return err
			}
		}
	}}, g, nil)
	stream, err := client.FullDuplexCall(within(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err = stream.Send(&grpc_testing.StreamingOutputCallRequest{Payload: &grpc_testing.Payload{Body: []byte{byte(i)}}}); err != nil {
			t.Fatal(err)
		}
		if answer, err := stream.Recv(); err != nil || answer.GetPayload().GetBody()[0] != byte(i) {
			t.Fatalf("%d: %v, %v", i, answer, err)
		}
	}
	if err = stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err = stream.Recv(); status.Code(err) != codes.Aborted {
		t.Errorf("ended with %v", err)
	}
	if released := g.released.Load(); released != 1 {
		t.Errorf("released %d times", released)
	}
}

// TestStreamThatTheClientEnds is not the end of the tenure.
func TestStreamThatTheClientEnds(t *testing.T) {
	seen := make(chan error, 1)
	client := serve(t, &service{duplex: func(s duplex) error {
		if err := s.Send(&grpc_testing.StreamingOutputCallResponse{}); err != nil {
			return err
		}
		_, err := s.Recv()
		seen <- err
		return err
	}}, newTenure(t), nil)
	ctx, cancel := context.WithCancel(within(t))
	stream, err := client.FullDuplexCall(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = stream.Recv(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err = <-seen; status.Code(err) != codes.Canceled {
		t.Errorf("the handler was told %v", err)
	}
}

// TestStreamOfAPlainGate: a gate that ends no context is asked at every message,
// and a stream that it has closed once stays closed.
func TestStreamOfAPlainGate(t *testing.T) {
	var open atomic.Bool
	open.Store(true)
	afterwards := make(chan error, 1)
	client := serve(t, &service{duplex: func(s duplex) error {
		for {
			if _, err := s.Recv(); err != nil {
				open.Store(true)
				afterwards <- s.Send(&grpc_testing.StreamingOutputCallResponse{})
				return nil
			}
			if err := s.Send(&grpc_testing.StreamingOutputCallResponse{}); err != nil {
				return err
			}
		}
	}}, gate(open.Load), nil)
	stream, err := client.FullDuplexCall(within(t))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err = stream.Send(&grpc_testing.StreamingOutputCallRequest{}); err != nil {
			t.Fatal(err)
		}
		if _, err = stream.Recv(); err != nil {
			t.Fatal(err)
		}
	}
	open.Store(false) // while the handler waits for a message
	if err = stream.Send(&grpc_testing.StreamingOutputCallRequest{}); err != nil {
		t.Fatal(err)
	}
	_, err = stream.Recv()
	wantNotActive(t, err)
	wantNotActive(t, <-afterwards)
}

// panicking is a stream whose Recv fails as an interceptor's or a codec's may.
type panicking struct {
	grpc.ServerStream
	with func()
}

func (p panicking) RecvMsg(any) error { p.with(); return nil }

// TestPanicsReachTheRecovery: a panic, of the handler or of a stream further
// out, is seen by an interceptor that recovers, and the work has ended.
func TestPanicsReachTheRecovery(t *testing.T) {
	for name, c := range map[string]struct{ stream, handler func() }{
		"in the stream": {func() { panic("boom") }, func() {}}, "in the handler": {func() {}, func() { panic("boom") }},
	} {
		t.Run(name, func(t *testing.T) {
			g := newTenure(t)
			recovery := grpc.ChainStreamInterceptor(func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
				defer func() {
					if p := recover(); p == "boom" {
						err = status.Error(codes.Internal, "recovered")
					}
				}()
				return handler(srv, panicking{ss, c.stream})
			})
			client := serve(t, &service{duplex: func(s duplex) error {
				_, err := s.Recv()
				c.handler()
				return err
			}}, g, nil, recovery)
			if err := calls["duplex"](within(t), client); status.Code(err) != codes.Internal {
				t.Errorf("%v", err)
			}
			if released := g.released.Load(); released != 1 {
				t.Errorf("released %d times", released)
			}
		})
	}
}

// TestExitOfTheStream: a stream further out that ends its goroutine ends that of
// the handler, as if there were no other, and the work has ended.
func TestExitOfTheStream(t *testing.T) {
	g := newTenure(t)
	ss := panicking{swift{ctx: t.Context()}, runtime.Goexit}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := grpcgate.StreamServerInterceptor(g)(nil, ss, &grpc.StreamServerInfo{}, func(_ any, ss grpc.ServerStream) error {
			return ss.RecvMsg(nil)
		})
		t.Errorf("the handler returned: %v", err)
	}()
	<-ended
	if released := g.released.Load(); released != 1 {
		t.Errorf("released %d times", released)
	}
}

// silent is a stream on which nothing ever goes or comes, until it is over.
type silent struct {
	grpc.ServerStream
	ctx   context.Context
	waits chan struct{} // tells that a call has begun to wait
	over  chan struct{}
}

func (s silent) Context() context.Context { return s.ctx }

func (s silent) RecvMsg(any) error { return s.SendMsg(nil) }

func (s silent) SendMsg(any) error {
	s.waits <- struct{}{}
	<-s.over
	return io.EOF
}

// TestCallsThatWait end with the tenure, and with the context that an interceptor
// further out may have given the stream.
func TestCallsThatWait(t *testing.T) {
	for name, call := range map[string]func(grpc.ServerStream) error{
		"send": func(ss grpc.ServerStream) error { return ss.SendMsg(nil) },
		"recv": func(ss grpc.ServerStream) error { return ss.RecvMsg(nil) },
	} {
		for end, want := range map[string]codes.Code{"tenure": codes.Unavailable, "context": codes.Canceled} {
			g := newTenure(t)
			ctx, cancel := context.WithCancel(t.Context())
			ss := silent{ctx: ctx, waits: make(chan struct{}), over: make(chan struct{})}
			go func() {
				<-ss.waits
				if end == "tenure" {
					g.end(errLost)
				} else {
					cancel()
				}
			}()
			err := grpcgate.StreamServerInterceptor(g)(nil, ss, &grpc.StreamServerInfo{}, func(_ any, ss grpc.ServerStream) error {
				err := call(ss)
				if status.Code(err) != want {
					t.Errorf("%s, end of the %s: the handler is told %v, want %v", name, end, err, want)
				}
				return err
			})
			if status.Code(err) != want {
				t.Errorf("%s, end of the %s: %v, want %v", name, end, err, want)
			}
			close(ss.over)
			cancel()
		}
	}
}

// TestNoTwoCallsAtOnce: a call that was left behind when the client went is not
// joined by another one, which a stream must not have.
func TestNoTwoCallsAtOnce(t *testing.T) {
	for name, call := range map[string]func(grpc.ServerStream) error{
		"send": func(ss grpc.ServerStream) error { return ss.SendMsg(nil) },
		"recv": func(ss grpc.ServerStream) error { return ss.RecvMsg(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, leave := context.WithCancel(t.Context())
				ss := silent{ctx: ctx, waits: make(chan struct{}, 2), over: make(chan struct{})}
				err := grpcgate.StreamServerInterceptor(newTenure(t))(nil, ss, &grpc.StreamServerInfo{}, func(_ any, ss grpc.ServerStream) error {
					time.AfterFunc(time.Second, leave)
					_ = call(ss)
					return call(ss)
				})
				synctest.Wait()
				if n := len(ss.waits); n != 1 || status.Code(err) != codes.Canceled {
					t.Errorf("%d calls of the stream at once, and then %v", n, err)
				}
				close(ss.over)
			})
		})
	}
}

// swift is a stream without a network.
type swift struct {
	grpc.ServerStream
	ctx context.Context
}

func (s swift) Context() context.Context { return s.ctx }

func (swift) SendMsg(any) error { return nil }

// BenchmarkSend is what the gate adds to a message of a stream.
func BenchmarkSend(b *testing.B) {
	err := grpcgate.StreamServerInterceptor(newTenure(b))(nil, swift{ctx: b.Context()}, &grpc.StreamServerInfo{}, func(_ any, ss grpc.ServerStream) error {
		b.ReportAllocs()
		for b.Loop() {
			if err := ss.SendMsg(nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
