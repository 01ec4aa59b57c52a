package grpcgate_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/loopvitals/loopvitals/tiers"
	"github.com/loopvitals/loopvitals/tiers/grpcgate"
)

// admitter is a Gate that is an Admitter.
type admitter func(context.Context) (context.Context, func(), error)

func (admitter) IsActive() bool { panic("an Admitter is asked to admit") }

func (a admitter) Enter(ctx context.Context) (context.Context, func(), error) { return a(ctx) }

// locator is a closed Gate that is a Locator.
type locator func() (string, bool)

func (locator) IsActive() bool { return false }

func (l locator) ActiveNode() (address string, known bool) { return l() }

// TestGates is the table of gates, for each kind of call (S1.47, S1.48, F52).
func TestGates(t *testing.T) {
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	ended := newTenure(t)
	ended.end(errLost)
	for name, c := range map[string]struct {
		gate tiers.Gate
		open bool
	}{
		"open":               {gate(func() bool { return true }), true},
		"closed":             {gate(func() bool { return false }), false},
		"nil":                {nil, false},
		"nil function":       {gate(nil), false},
		"panics":             {gate(func() bool { panic(canary) }), false},
		"ends its goroutine": {gate(func() bool { runtime.Goexit(); return true }), false},
		"blocks":             {gate(func() bool { <-forever; return true }), false},

		"admits":                   {newTenure(t), true},
		"admits no more":           {ended, false},
		"nil admitter":             {admitter(nil), false},
		"admission panics":         {admitter(func(context.Context) (context.Context, func(), error) { panic(canary) }), false},
		"admission ends":           {admitter(func(context.Context) (context.Context, func(), error) { runtime.Goexit(); return nil, nil, nil }), false},
		"admission blocks":         {admitter(func(ctx context.Context) (context.Context, func(), error) { <-forever; return ctx, nil, nil }), false},
		"admits without a context": {admitter(func(context.Context) (context.Context, func(), error) { return nil, func() {}, nil }), false},
		"admits without a release": {admitter(func(ctx context.Context) (context.Context, func(), error) { return ctx, nil, nil }), true},
		"release panics":           {admitter(func(ctx context.Context) (context.Context, func(), error) { return ctx, func() { panic(canary) }, nil }), true},
		"release ends":             {admitter(func(ctx context.Context) (context.Context, func(), error) { return ctx, runtime.Goexit, nil }), true},

		"locating panics": {locator(func() (string, bool) { panic(canary) }), false},
		"locating ends":   {locator(func() (string, bool) { runtime.Goexit(); return "", true }), false},
		"locating blocks": {locator(func() (string, bool) { <-forever; return canary, true }), false},
		"not UTF-8":       {locator(func() (string, bool) { return "\xff" + canary, true }), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &service{}
			client := serve(t, s, c.gate, nil)
			for kind, call := range calls {
				before := s.calls.Load()
				err := call(within(t), client)
				switch reached := s.calls.Load() - before; {
				case c.open && (err != nil || reached != 1):
					t.Errorf("%s: %v after %d calls", kind, err, reached)
				case !c.open && reached != 0:
					t.Errorf("%s: the handler was called", kind)
				case !c.open:
					wantNotActive(t, err)
				}
				if strings.Contains(status.Convert(err).String(), canary) {
					t.Errorf("%s: the client was told %v", kind, err)
				}
			}
		})
	}
}

// TestDetails holds what a refusal carries, which clients in other languages
// compare.
func TestDetails(t *testing.T) {
	for address, known := range map[string]bool{"10.0.0.2:4053": true, "": false} {
		client := serve(t, &service{}, locator(func() (string, bool) { return address, known }), nil)
		for kind, call := range calls {
			err := call(within(t), client)
			wantNotActive(t, err)
			if got, _ := grpcgate.NotActive(err); got != address {
				t.Errorf("%s: the active node is %q, want %q", kind, got, address)
			}
			if message := status.Convert(err).Message(); message != "not active" {
				t.Errorf("%s: message %q", kind, message)
			}
			details := status.Convert(err).Details()
			if len(details) != 2 {
				t.Fatalf("%s: details %v", kind, details)
			}
			retry, _ := details[0].(*errdetails.RetryInfo)
			info, _ := details[1].(*errdetails.ErrorInfo)
			if retry.GetRetryDelay().AsDuration() != 5*time.Second {
				t.Errorf("%s: retry %v", kind, retry)
			}
			if info.GetReason() != "NOT_ACTIVE" || info.GetDomain() != "github.com/loopvitals/loopvitals" {
				t.Errorf("%s: info %v", kind, info)
			}
			if got, ok := info.GetMetadata()["activeNode"]; got != address || ok != known {
				t.Errorf("%s: metadata %v", kind, info.GetMetadata())
			}
		}
	}
}

// TestNotActiveIsOfThisPackage: no other error is taken for a refusal.
func TestNotActiveIsOfThisPackage(t *testing.T) {
	with := func(code codes.Code, info *errdetails.ErrorInfo) error {
		s, err := status.New(code, "not active").WithDetails(info)
		if err != nil {
			t.Fatal(err)
		}
		return s.Err()
	}
	const domain = "github.com/loopvitals/loopvitals"
	for name, err := range map[string]error{
		"nil":            nil,
		"no status":      context.Canceled,
		"no details":     status.Error(codes.Unavailable, "not active"),
		"another reason": with(codes.Unavailable, &errdetails.ErrorInfo{Reason: "STOPPED", Domain: domain}),
		"another domain": with(codes.Unavailable, &errdetails.ErrorInfo{Reason: "NOT_ACTIVE", Domain: "example.com"}),
		"another code":   with(codes.Internal, &errdetails.ErrorInfo{Reason: "NOT_ACTIVE", Domain: domain}),
	} {
		if node, ok := grpcgate.NotActive(err); ok || node != "" {
			t.Errorf("%s: %q, %v", name, node, ok)
		}
	}
	if _, ok := grpcgate.NotActive(with(codes.Unavailable, &errdetails.ErrorInfo{Reason: "NOT_ACTIVE", Domain: domain})); !ok {
		t.Error("a refusal is not seen")
	}
}
