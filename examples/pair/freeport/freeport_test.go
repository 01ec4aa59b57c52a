package freeport

import (
	"net"
	"strconv"
	"testing"
)

func TestAddress(t *testing.T) {
	for range 20 {
		address, err := Address("127.0.0.1")
		if err != nil {
			t.Fatal(err)
		}
		_, port, err := net.SplitHostPort(address)
		if n, _ := strconv.Atoi(port); err != nil || n < lowest || n >= above {
			t.Fatalf("%s: %v; want a port from %d to %d", address, err, lowest, above-1)
		}
	}
	if address, err := Address("203.0.113.1"); err == nil {
		t.Errorf("got %s, which is no address of this host", address)
	}
}
