// Package engine runs the store that the nodes of the pair keep their membership
// in, and connects to it. A service has one of the two, elsewhere, and needs
// what Open does and nothing else of this.
package engine

import (
	"context"
	"fmt"
	"net"
)

// Kind is which store it is.
type Kind string

// The two that this example knows.
const (
	NATS Kind = "nats"
	Etcd Kind = "etcd"
)

// Parse reads a kind as a flag has it.
func Parse(s string) (Kind, error) {
	switch k := Kind(s); k {
	case NATS, Etcd:
		return k, nil
	default:
		return "", fmt.Errorf("engine %q: must be %q or %q", s, NATS, Etcd)
	}
}

// Space is the part of the store that the records of the pair are in: the name
// of the bucket, and the prefix of the keys.
const Space = "pair"

// Serve runs a server with one member on the address, which is 127.0.0.1:PORT,
// with its files in dir, until ctx ends. It calls ready once it answers.
func Serve(ctx context.Context, kind Kind, address, dir string, ready func()) error {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return fmt.Errorf("engine address %q: must be HOST:PORT", address)
	}
	if kind == Etcd {
		return serveEtcd(ctx, address, dir, ready)
	}
	return serveNATS(ctx, address, dir, ready)
}
