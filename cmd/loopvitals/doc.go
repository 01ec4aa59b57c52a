// Command loopvitals is the companion of the library for operators. It is one
// static binary that needs nothing beside it, neither a shell nor a file.
//
//	loopvitals probe http://127.0.0.1:8080 --tier ready
//
// asks a health endpoint, for a HEALTHCHECK of Docker or an exec probe of
// Kubernetes in an image that holds little else.
//
//	loopvitals observe --socket /run/orders/vitals.sock --token-file /etc/orders/token
//
// prints what a node says about itself: the command that an adapter runs.
//
//	loopvitals adapter --config /etc/orders/adapter.json
//
// runs such a command again and again, and answers HTTP probes from what it said.
//
//	loopvitals rules -selector 'job="orders"' > loopvitals.rules.yaml
//
// prints the alert and recording rules for Prometheus, or a PrometheusRule for
// Kubernetes. The verb version says which program this is.
//
// Each verb explains its flags with -h. The exit code is 0 when all is well, 1 when
// what was asked for did not work, and 2 for arguments and files that cannot be
// used. Of probe it is 1 when the answer is no, and 2 whenever there is none.
package main
