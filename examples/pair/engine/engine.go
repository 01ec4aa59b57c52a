// Package engine runs the store that the nodes of the pair keep their membership
// in, and connects to it. A service has one of the two, elsewhere, and needs
// what Open does and nothing else of this.
package engine

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"
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

// startLimit is how long a server may take until it answers.
const startLimit = 20 * time.Second

// Serve runs a server on the address, HOST:PORT, with its files in dir, until ctx
// ends. It calls ready once it answers.
func Serve(ctx context.Context, kind Kind, address, dir string, ready func()) error {
	host, number, err := net.SplitHostPort(address)
	port, notNumber := strconv.ParseUint(number, 10, 16)
	if err != nil || notNumber != nil {
		return fmt.Errorf("engine address %q: must be HOST:PORT", address)
	}
	if kind == Etcd {
		return serveEtcd(ctx, address, dir, ready)
	}
	return serveNATS(ctx, host, int(port), dir, ready)
}
