// Package node is a node's side of the loopback adapter: it makes observations
// of this process and serves them on a unix socket to whoever has the token, and
// nothing over TCP.
//
// A Source says where the facts are, Ingress limits and counts what comes in,
// Serve offers the document, and Observe asks for it: that is what the command
// "loopvitals observe" does.
package node
