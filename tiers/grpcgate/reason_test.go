package grpcgate_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"

	"github.com/loopvitals/loopvitals/tiers/grpcgate"
)

// denial is an error that says why in public.
type denial func() string

func (denial) Error() string { return "denied: " + canary }

func (d denial) PublicReason() string { return d() }

// TestPublicReason: the reason that a gate gives is the message and in the details,
// for each kind of call, and what cannot be shown is no reason (S4.30).
func TestPublicReason(t *testing.T) {
	says := func(text string) error { return denial(func() string { return text }) }
	for name, c := range map[string]struct {
		err  error
		want string // empty is none
	}{
		"says why":           {says("not primary (role unknown)"), "not primary (role unknown)"},
		"wrapped":            {fmt.Errorf("write: %w", says("not primary")), "not primary"},
		"not ASCII":          {says("nicht primär, 100 %"), "nicht primär, 100 %"},
		"empty":              {says(""), ""},
		"too long":           {says(strings.Repeat("x", 257)), ""},
		"not UTF-8":          {says("no\xff"), ""},
		"has none":           {errors.New(canary), ""},
		"panics":             {denial(func() string { panic(canary) }), ""},
		"ends its goroutine": {denial(func() string { runtime.Goexit(); return canary }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			client := serve(t, &service{}, admitter(func(context.Context) (context.Context, func(), error) { return nil, nil, c.err }), nil)
			message := c.want
			if message == "" {
				message = "not active"
			}
			for kind, call := range calls {
				err := call(within(t), client)
				wantNotActive(t, err)
				s := status.Convert(err)
				if s.Message() != message {
					t.Errorf("%s: message %q, want %q", kind, s.Message(), message)
				}
				info, _ := s.Details()[1].(*errdetails.ErrorInfo)
				if got, ok := info.GetMetadata()["reason"]; got != c.want || ok != (c.want != "") {
					t.Errorf("%s: metadata %v, want reason %q", kind, info.GetMetadata(), c.want)
				}
				if node, ok := grpcgate.NotActive(err); !ok || node != "" {
					t.Errorf("%s: active node %q, %v", kind, node, ok)
				}
				if strings.Contains(s.String(), canary) {
					t.Errorf("%s: the client was told %v", kind, err)
				}
			}
		})
	}
}
