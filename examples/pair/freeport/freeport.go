// Package freeport finds addresses for servers that are told where to listen.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// The range is below the one that systems take the ports of outgoing connections
// from. In that one, whoever dials a server on the same host that is down may be
// given the server's own port to dial from, and be connected to himself; the
// server then finds its port in use.
const (
	lowest = 10_000
	above  = 30_000
)

// Address returns host with a port that nobody listened on a moment ago.
func Address(host string) (string, error) {
	err := fmt.Errorf("no free port on %s", host)
	for range 50 {
		address := net.JoinHostPort(host, strconv.Itoa(lowest+rand.IntN(above-lowest)))
		var listener net.Listener
		if listener, err = net.Listen("tcp", address); err == nil {
			return address, listener.Close()
		}
	}
	return "", err
}
