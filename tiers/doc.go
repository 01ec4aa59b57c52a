// Package tiers asks the checks of a process the questions that orchestrators
// and load balancers ask, and answers them over HTTP.
//
//	ready    /health/ready    can this node serve its dependencies?
//	active   /health/active   is this the node that does the work?
//	live     /healthz         can this process answer at all? Always 200, no checks.
//	startup  /health/startup  was it ready once, and is it in health? Opt-in.
//	wedged   /health/wedged   should it be restarted? Opt-in.
//
// Healthy and Degraded are 200, Unhealthy is 503: Degraded never takes a node
// out (S1.3, S1.11). A tier is as bad as the worst of its checks, and Healthy
// without any (S1.9).
//
// # Usage
//
//	health := tiers.New()
//	err := errors.Join(
//		health.AddReady("database", check.Ping(db.PingContext)),
//		health.Register("node", node, tiers.TagReady, tiers.TagActive),
//		health.Mount(mux),
//	)
//	go health.Run(ctx) // only for exporters
//
// # The body
//
//	{"status":"Degraded","totalDurationMs":12,"entries":{
//	   "database":{"status":"Healthy","description":"reachable","durationMs":11.7},
//	   "node":{"status":"Degraded","description":null,"durationMs":0.1,"data":{"peers":2}}}}
//
// The fields, their order and their types are part of the API. Keys are sorted
// and none is repeated; truncated, the number of entries left out, stands
// before entries when a body would have been longer than 64 KiB. Entries are
// dropped from the healthiest; one whose data did not fit has the data
// {"truncated":true}. Numbers that JSON cannot carry are null, data that cannot
// be encoded is left out. No body, header or error answer ever holds a
// check's Result.Err.
//
// # Guarantees under concurrency
//
//  1. Every method of a Set may be called by any goroutine at any time, also
//     from inside a check, an observer or a response writer. A probe takes no
//     lock of the Set.
//  2. The checks of a tier run at the same time, each within its own limit, so
//     a probe is answered within the longest limit of its tier whatever the
//     checks do. Runs are shared: ten thousand probes of one check make one
//     call of it. See check.Runner.
//  3. A client that gives up ends its own wait and nothing else.
//  4. Checks, data that encodes itself, response writers, observers and gates
//     may panic or end their goroutine: that is a failed answer of the one, and
//     nothing to the others. Data, writers and observers must not block; a gate
//     that does is closed.
//  5. A probe of ready or active that begins after Drain has returned, or whose
//     checks end after that, is not 200.
//
// # What it does not do
//
// It registers no checks of its own, starts no goroutine but for Run and the
// calls of user code, follows no query parameter, redirects nothing, and knows
// nothing of loops: a liveness Monitor is a check like any other.
//
// # Testing with it
//
// Evaluate asks a tier without HTTP. Under testing/synctest a Set needs no
// clock of its own; WithClock takes a clock.Mock.
package tiers
