package loopback

import (
	"fmt"
	"net/netip"
)

// Config says where to listen and what to serve.
type Config struct {
	// Listen is a loopback address; a port of 0 takes any that is free. The Host
	// field of a request must be this address and port as text, byte by byte
	// (S2.1, S2.8).
	Listen netip.AddrPort
	// Peer is the only address that may connect. The zero value allows every
	// loopback address.
	Peer netip.Addr
	// Paths are the targets that exist, byte by byte.
	Paths []string
	// OK is asked at the moment of a reply whether Paths[path] is 200; otherwise,
	// and when OK is nil, it is 503. It is never called twice at a time, and must
	// not block: nothing else is served meanwhile.
	OK func(path int) bool
}

// validate returns c with its addresses in their plain forms: IPv4 in IPv6 is
// IPv4 (A1).
func (c Config) validate() (Config, error) {
	c.Listen = netip.AddrPortFrom(c.Listen.Addr().Unmap(), c.Listen.Port())
	if a := c.Listen.Addr(); !a.IsLoopback() || a.Zone() != "" {
		return Config{}, fmt.Errorf("adapter: listen %v: must be a loopback address", c.Listen)
	}
	c.Peer = c.Peer.Unmap()
	if c.Peer.IsValid() && (!c.Peer.IsLoopback() || c.Peer.Zone() != "") {
		return Config{}, fmt.Errorf("adapter: peer %v: must be a loopback address", c.Peer)
	}
	return c, nil
}

// admits tells whether addr may connect.
func (c Config) admits(addr netip.Addr) bool {
	addr = addr.Unmap()
	if c.Peer.IsValid() {
		return addr == c.Peer
	}
	return addr.IsLoopback()
}
