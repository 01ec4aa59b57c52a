package grpcgate

import (
	"context"
	"errors"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/loopvitals/loopvitals/tiers"
)

// What a refusal carries. Clients in other languages compare these, so they are
// part of the API.
const (
	message       = "not active"
	reason        = "NOT_ACTIVE"
	domain        = "github.com/loopvitals/loopvitals"
	activeNodeKey = "activeNode"
)

// retryDelay is the Retry-After of tiers.RequireActive.
const retryDelay = 5 * time.Second

// NotActive tells whether err, which a client got from a call, says that the
// server's node is not the active one, and the address of the one that is. The
// address is empty where the server does not know it.
func NotActive(err error) (activeNode string, ok bool) {
	s, ok := status.FromError(err)
	if !ok || s.Code() != codes.Unavailable {
		return "", false
	}
	for _, detail := range s.Details() {
		if info, is := detail.(*errdetails.ErrorInfo); is && info.GetReason() == reason && info.GetDomain() == domain {
			return info.GetMetadata()[activeNodeKey], true
		}
	}
	return "", false
}

// notActive is the error of a closed gate.
func notActive(g tiers.Gate) error {
	info := &errdetails.ErrorInfo{Reason: reason, Domain: domain}
	if l, ok := g.(tiers.Locator); ok {
		if address, known := l.ActiveNode(); known {
			info.Metadata = map[string]string{activeNodeKey: address}
		}
	}
	plain := status.New(codes.Unavailable, message)
	detailed, err := plain.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(retryDelay)}, info)
	if err != nil {
		return plain.Err() // a text that is not UTF-8, which tiers.FailClosed lets nobody name
	}
	return detailed.Err()
}

// ended tells whether a call's context ended with the tenure, and not because
// the call itself is over.
func ended(call, inside context.Context) bool {
	return inside.Err() != nil && call.Err() == nil
}

// ofContext tells whether a handler failed because its context ended.
func ofContext(err error, inside context.Context) bool {
	if errors.Is(err, inside.Err()) || errors.Is(err, context.Cause(inside)) {
		return true
	}
	code := status.Code(err)
	return code == codes.Canceled || code == codes.DeadlineExceeded
}
