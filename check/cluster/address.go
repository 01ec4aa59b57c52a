package cluster

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// maxHostBytes is the longest name that DNS can hold.
const maxHostBytes = 253

// ParseAddress returns the canonical form of a node's address, host:port (X20):
// IP addresses as netip writes them, an IPv4 address inside an IPv6 one as IPv4,
// names in lower case and without the dot at their end, ports without zeros in
// front. Two spellings of one address would be two members.
//
// The error names the address and what is wrong with it: no host or port, a port
// outside of 1 to 65535, a name that DNS could not hold, or an address that means
// nothing to other nodes, as 0.0.0.0 or one with an IPv6 zone.
func ParseAddress(s string) (string, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return "", invalidAddress(s, errors.New("must be host:port"))
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 {
		return "", invalidAddress(s, errors.New("the port must be 1 to 65535"))
	}
	if host, err = parseHost(host); err != nil {
		return "", invalidAddress(s, err)
	}
	return net.JoinHostPort(host, strconv.FormatUint(number, 10)), nil
}

func invalidAddress(s string, bound error) error {
	return fmt.Errorf("cluster: address %q: %w", s, bound)
}

// parseHost returns the canonical form of an IP address or a name.
func parseHost(host string) (string, error) {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return parseName(strings.ToLower(strings.TrimSuffix(host, ".")))
	}
	switch ip = ip.Unmap(); {
	case ip.IsUnspecified():
		return "", errors.New("must be an address that other nodes can reach, and not the unspecified one")
	case ip.Zone() != "":
		return "", errors.New("must not have a zone, which means nothing on other nodes")
	}
	return ip.String(), nil
}

// parseName tests a name of lower-case letters, digits, hyphens and underscores.
func parseName(name string) (string, error) {
	if name == "" || len(name) > maxHostBytes {
		return "", fmt.Errorf("the host must have 1 to %d characters", maxHostBytes)
	}
	var label string
	for label = range strings.SplitSeq(name, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", errors.New("the host must be an IP address, or a name of letters, digits, hyphens and single dots")
		}
	}
	// Some resolvers read 10.0.0.010 or 10.1 as an IP address and others as a
	// name, so it is neither.
	if strings.Trim(label, "0123456789") == "" {
		return "", errors.New("the host must be a whole IP address, or a name that does not end in a number")
	}
	return name, nil
}
