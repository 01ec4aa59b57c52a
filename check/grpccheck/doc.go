// Package grpccheck checks a gRPC dependency through the connection that the
// application itself uses. It is a module of its own, so that only those who
// use gRPC require it.
//
// # Usage
//
//	conn, err := grpc.NewClient("dns:///payments:443", …)
//	…
//	err = health.AddReady("payments", grpccheck.New(conn))
//
// # What it asks
//
// By default, whether the connection is ready or becomes so within the check's
// limit (S1.35). That tells what the next call would meet, and costs the
// dependency nothing; it does not tell whether anybody answers. WithHealth
// asks the standard grpc.health.v1 service, and WithProbe calls a function of
// yours (S1.34).
//
// A connection that failed waits before it tries again, up to two minutes by
// grpc's default, and calls fail until then. The default check says so instead
// of cutting the wait short: a probe every second, from every replica, is what
// the wait is there to prevent. Where two minutes of 503 after an outage are
// too long, shorten the connection's own wait with grpc.WithConnectParams.
//
// Descriptions are fixed texts. What grpc says in its errors goes to the log
// hook only.
package grpccheck
