// Package grpcgate lets calls pass to a gRPC server only while this node is the
// active one: what tiers.RequireActive does for HTTP. It is a module of its own,
// so that only those who use gRPC require it.
//
// # Usage
//
//	gate, err := cluster.NewGate(node) // or any other tiers.Gate
//	…
//	server := grpc.NewServer(
//		grpc.ChainUnaryInterceptor(grpcgate.UnaryServerInterceptor(gate)),
//		grpc.ChainStreamInterceptor(grpcgate.StreamServerInterceptor(gate)),
//	)
//
// Install both: a unary interceptor sees no streams, nor the other way round.
// Put them after the interceptors that authenticate, when strangers are not to
// learn the active node's address, and after those that recover from panics.
//
// # What a caller is told
//
// The code is Unavailable and the message "not active", or what the gate gives as
// the reason, see tiers.Explainer; with two details from google.rpc: RetryInfo with
// a delay of 5 s, about the time a cluster takes to move the active role; and
// ErrorInfo with the reason NOT_ACTIVE, the domain
// github.com/loopvitals/loopvitals and, where they are known, the metadata
// activeNode and reason, which is the gate's. NotActive reads them.
//
// Unavailable is what clients retry by themselves when their service config
// says so. Those that share one connection to one node retry there; the
// address, or a balancer that follows the health of the servers, takes them to
// the other one.
//
// # When the tenure ends under way
//
// Of a gate that is a tiers.Admitter, the context of a call ends with the
// node's tenure, and the call counts as work until its handler has returned.
//
//   - A unary call whose handler fails because its context ended is
//     Unavailable. A handler that succeeds in spite of it has done its work,
//     and its answer is sent.
//   - A stream is Unavailable, unless its handler ends it with an error of
//     another cause: an end without error would tell the client that it got
//     all. Recv and Send of the stream return that error at once, also while
//     they wait for the client. The message of a Recv or Send that returned it
//     may be in use still, and must not be used again.
//
// A handler that looks neither at its context nor at its stream is not stopped,
// since nothing in Go could. What it writes should carry the fencing token; see
// cluster.Token.
//
// A node that leaves waits for the calls under way, and streams may go on for
// ever: end them, and then leave, or the next node takes over no earlier than
// the fence.
//
// A gate with nothing but IsActive is asked again at every message of a stream;
// a stream that waits for one does not notice that the gate has closed.
//
// # Exempt methods
//
// /grpc.health.v1.Health passes always: a standby is in good health, and the
// prober wants to hear that from the node itself. WithExempt adds others.
//
// A gate that is nil, panics, ends its goroutine or blocks is closed; see
// tiers.FailClosed.
package grpcgate
