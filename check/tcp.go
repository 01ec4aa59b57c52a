package check

import (
	"context"
	"fmt"
	"net"
)

// TCP is a Checker that dials address, "host:port", and hangs up: Healthy
// when something accepts the connection. It says nothing about what speaks
// there; use HTTP, or Ping over a client, to have it answer. An address
// without host or port gives a Checker that NewRunner refuses.
func TCP(address string) Checker {
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" || port == "" {
		return Invalid(fmt.Errorf("check: address %q: must be host:port", address))
	}
	var dialer net.Dialer
	return Ping(func(ctx context.Context) error {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return conn.Close()
	})
}
