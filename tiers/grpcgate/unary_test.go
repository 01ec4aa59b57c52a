package grpcgate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
)

// TestUnaryThatOutlivesTheTenure: what comes of the end of the context is
// Unavailable, and what the handler says for another reason stands.
func TestUnaryThatOutlivesTheTenure(t *testing.T) {
	for name, c := range map[string]struct {
		result func(context.Context) error
		want   codes.Code
	}{
		"done all the same":      {func(context.Context) error { return nil }, codes.OK},
		"error of the context":   {func(ctx context.Context) error { return ctx.Err() }, codes.Unavailable},
		"wrapped":                {func(ctx context.Context) error { return fmt.Errorf("write: %w", ctx.Err()) }, codes.Unavailable},
		"cause":                  {context.Cause, codes.Unavailable},
		"status of the context":  {func(ctx context.Context) error { return status.FromContextError(ctx.Err()).Err() }, codes.Unavailable},
		"deadline of its own":    {func(context.Context) error { return status.Error(codes.DeadlineExceeded, "database") }, codes.Unavailable},
		"error of another cause": {func(context.Context) error { return status.Error(codes.InvalidArgument, "no such order") }, codes.InvalidArgument},
		"error without a code":   {func(context.Context) error { return errors.New("disk full") }, codes.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			g := newTenure(t)
			client := serve(t, &service{unary: func(ctx context.Context) error {
				g.end(errLost)
				<-ctx.Done()
				if context.Cause(ctx) != errLost {
					t.Errorf("the context ended of %v", context.Cause(ctx))
				}
				return c.result(ctx)
			}}, g, nil)
			err := calls["unary"](within(t), client)
			if status.Code(err) != c.want {
				t.Errorf("%v, want %v", err, c.want)
			}
			if c.want == codes.Unavailable {
				wantNotActive(t, err)
			}
			if released := g.released.Load(); released != 1 {
				t.Errorf("released %d times", released)
			}
		})
	}
}

// TestUnaryWithinTheTenure: errors are the handler's own, those of contexts too.
func TestUnaryWithinTheTenure(t *testing.T) {
	g := newTenure(t)
	for _, code := range []codes.Code{codes.Canceled, codes.DeadlineExceeded, codes.NotFound} {
		client := serve(t, &service{unary: func(context.Context) error {
			if g.released.Load() != 0 {
				t.Error("released while the handler ran")
			}
			return status.Error(code, "mine")
		}}, g, nil)
		if err := calls["unary"](within(t), client); status.Code(err) != code || status.Convert(err).Message() != "mine" {
			t.Errorf("%v: %v", code, err)
		}
		g.released.Store(0)
	}
}

// TestCallThatTheClientEnds is not the end of the tenure.
func TestCallThatTheClientEnds(t *testing.T) {
	g := newTenure(t)
	seen := make(chan error, 1)
	// Further out than the gate, it sees what the gate makes of the handler's error.
	watch := grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		answer, err := handler(ctx, req)
		seen <- err
		return answer, err
	})
	ctx, cancel := context.WithCancel(within(t))
	client := serve(t, &service{unary: func(ctx context.Context) error {
		cancel()
		<-ctx.Done()
		g.end(errLost)
		return ctx.Err()
	}}, g, nil, watch)
	_, _ = client.UnaryCall(ctx, &grpc_testing.SimpleRequest{})
	if err := <-seen; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler's error has become %v", err)
	}
}
