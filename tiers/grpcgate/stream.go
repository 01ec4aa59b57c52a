package grpcgate

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/loopvitals/loopvitals/tiers"
)

// StreamServerInterceptor lets streams pass while the gate is open (S1.48).
// While it is closed the handler is not called and the stream ends with
// Unavailable. When the tenure ends under way, so do the stream's context and
// its Recv and Send, and the stream ends with Unavailable when its handler
// returns, unless that reports an error of another cause.
//
// Cost: about two microseconds a stream, that of tiers.FailClosed, and as much for
// each message, for a goroutine, without which a Recv that waits for the client
// could not be ended.
func StreamServerInterceptor(g tiers.Gate, opts ...Option) grpc.StreamServerInterceptor {
	s := newSettings(opts)
	g = tiers.FailClosed(g)
	return func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		if s.exempts(info.FullMethod) {
			return handler(srv, ss)
		}
		inside, release, err := enter(ss.Context(), g)
		if err != nil {
			return notActive(g, err)
		}
		defer release()
		gated := &stream{ServerStream: ss, inside: inside, gate: g}
		_, admitted := g.(tiers.Admitter)
		gated.askAgain = !admitted
		err = handler(srv, gated)
		if gated.ended() && (err == nil || ofContext(err, inside)) {
			return notActive(g, nil)
		}
		return err
	}
}

// stream is a stream that ends with the node's tenure.
type stream struct {
	grpc.ServerStream
	inside   context.Context
	gate     tiers.Gate
	askAgain bool        // the gate does not end inside
	closed   atomic.Bool // the gate was found closed
}

// Context implements grpc.ServerStream.
func (s *stream) Context() context.Context { return s.inside }

// SendMsg implements grpc.ServerStream.
func (s *stream) SendMsg(m any) error {
	if err := s.refusal(); err != nil {
		return err
	}
	return s.unlessEnded(func() error { return s.ServerStream.SendMsg(m) })
}

// RecvMsg implements grpc.ServerStream. It asks once more when there is a
// message: that may have been waited for, and until after the tenure.
func (s *stream) RecvMsg(m any) error {
	if err := s.refusal(); err != nil {
		return err
	}
	err := s.unlessEnded(func() error { return s.ServerStream.RecvMsg(m) })
	if refusal := s.refusal(); refusal != nil {
		return refusal
	}
	return err
}

// ended tells whether the tenure has ended and the call has not.
func (s *stream) ended() bool {
	return s.closed.Load() || ended(s.ServerStream.Context(), s.inside)
}

// refusal asks whether the stream may go on.
func (s *stream) refusal() error {
	if s.askAgain && !s.gate.IsActive() {
		s.closed.Store(true)
	}
	if s.ended() {
		return notActive(s.gate, nil)
	}
	return nil
}

// unlessEnded makes a call of the stream that is ours, and does not wait for it
// longer than the tenure. A call that was left behind ends with the stream,
// which ends when the handler returns.
func (s *stream) unlessEnded(call func() error) error {
	if err := s.inside.Err(); err != nil { // the call before may have been left behind, and two at once are not allowed
		return status.FromContextError(err).Err()
	}
	done := make(chan returned, 1)
	go run(call, done)
	select {
	case r := <-done:
		return r.result()
	case <-s.inside.Done():
	}
	if s.ended() {
		return notActive(s.gate, nil)
	}
	return status.FromContextError(s.inside.Err()).Err()
}
