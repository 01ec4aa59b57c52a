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
	reasonKey     = "reason"
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

// notActive is the error of a closed gate. refused is what its Enter returned, if it
// was asked: tiers.FailClosed puts a reason outermost, and lets none pass that
// cannot be shown.
func notActive(g tiers.Gate, refused error) error {
	text, metadata := message, make(map[string]string)
	//nolint:errorlint // to look inside would call the code of the gate's author
	if e, ok := refused.(tiers.Explainer); ok && e.PublicReason() != "" {
		text = e.PublicReason()
		metadata[reasonKey] = text
	}
	if l, ok := g.(tiers.Locator); ok {
		if address, known := l.ActiveNode(); known {
			metadata[activeNodeKey] = address
		}
	}
	info := &errdetails.ErrorInfo{Reason: reason, Domain: domain, Metadata: metadata}
	plain := status.New(codes.Unavailable, text)
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
