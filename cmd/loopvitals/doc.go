// Command loopvitals is the companion of the library for operators. It is one
// static binary that needs nothing beside it.
//
//	loopvitals rules -selector 'job="orders"' > loopvitals.rules.yaml
//
// prints the alert and recording rules for Prometheus, or a PrometheusRule for
// Kubernetes. Each verb explains its flags with -h.
//
// The exit code is 0, or 2 for arguments that cannot be used and for output that
// could not be written.
package main
