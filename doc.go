// Package loopvitals is documentation only; the code is in the folders below
// it. Loopvitals tells whether the long-running loops of a service still go
// round, and lets load balancers, orchestrators and alerts ask.
//
// The board records facts, liveness judges them, tiers ask the question,
// otelbridge repeats the answer:
//
//   - board: loops report beats, lag and faults here, without locks.
//   - liveness: a policy makes a verdict of each observation; a Monitor answers
//     for all processors of a board.
//   - check: what a check is, and a runner that contains those that hang.
//   - tiers: the ready, active and live endpoints, their JSON and their gates.
//   - otelbridge: the same verdicts as OpenTelemetry instruments.
//
// Modules of their own, because of what they depend on: check/grpccheck,
// examples and bench.
//
// The API is experimental until v1: any exported name may still change, and the
// changelog marks those that did.
//
// Start with the README's quick start, then docs/architecture.md.
package loopvitals
