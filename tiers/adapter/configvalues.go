package adapter

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
)

// maxPath bounds a path, in bytes. With all else a request's head still fits.
const maxPath = 200

// validAddresses normalises both: an IPv4 address in IPv6 form is the IPv4 address
// itself (A1).
func validAddresses(listen netip.AddrPort, peer netip.Addr) (netip.AddrPort, netip.Addr, error) {
	address := listen.Addr().Unmap()
	if !loopback(address) {
		return listen, peer, fmt.Errorf("adapter: listen %s: must be a loopback address without a zone, and a port", shown(listen))
	}
	if peer = peer.Unmap(); peer.IsValid() && (!loopback(peer) || peer.Is4() != address.Is4()) {
		return listen, peer, fmt.Errorf("adapter: peer %s: must be a loopback address of the family of listen", shown(peer))
	}
	return netip.AddrPortFrom(address, listen.Port()), peer, nil
}

func loopback(a netip.Addr) bool { return a.IsLoopback() && a.Zone() == "" }

// shown makes an address printable: a zone may hold anything.
func shown(a fmt.Stringer) string {
	quoted := fmt.Sprintf("%+.80q", a.String())
	return quoted[1 : len(quoted)-1]
}

func validCommand(command, environment []string) error {
	if len(command) == 0 {
		return errors.New("adapter: command []: must be an absolute path and its arguments")
	}
	if !filepath.IsAbs(command[0]) {
		return invalid("command[0]", command[0], "must be an absolute path")
	}
	for i, argument := range command {
		if strings.ContainsRune(argument, 0) {
			return invalid(fmt.Sprintf("command[%d]", i), argument, "must be without a zero byte")
		}
	}
	names := make(map[string]bool, len(environment))
	for i, variable := range environment {
		key := fmt.Sprintf("environment[%d]", i)
		name, _, found := strings.Cut(variable, "=")
		switch {
		case !found || name == "" || strings.ContainsRune(name, 0):
			return fmt.Errorf("adapter: %s: must be NAME=value", key) // what there is may be a secret
		case strings.ContainsRune(variable, 0):
			return invalid(key, name, "must have a value without a zero byte")
		case names[name]:
			return invalid(key, name, "must be there once only")
		}
		names[name] = true
	}
	return nil
}

// fillPaths sets the paths that are empty, and wants all three exact and different.
func (c *Config) fillPaths() error {
	paths := []struct {
		key, unset string
		value      *string
	}{
		{"startupPath", defaultStartupPath, &c.StartupPath},
		{"readyPath", defaultReadyPath, &c.ReadyPath},
		{"livePath", defaultLivePath, &c.LivePath},
	}
	taken := make(map[string]string, len(paths))
	for _, p := range paths {
		if *p.value == "" {
			*p.value = p.unset
		}
		if bound := pathProblem(*p.value); bound != "" {
			return invalid(p.key, *p.value, "%s", bound)
		}
		if other := taken[*p.value]; other != "" {
			return invalid(p.key, *p.value, "must differ from %s", other)
		}
		taken[*p.value] = p.key
	}
	return nil
}

// pathProblem says what a path must be, or nothing if it is. Clients rewrite empty
// segments and dots before they ask, so a path with them would never be asked for.
func pathProblem(path string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_.-"
	switch {
	case len(path) > maxPath:
		return fmt.Sprintf("must be at most %d bytes", maxPath)
	case !strings.HasPrefix(path, "/"):
		return "must begin with /"
	case strings.Trim(path, letters) != "":
		return "must be of letters, digits, /, _, . and - only"
	case strings.Contains(path, "//") || strings.Contains(path, ".."):
		return "must be without // and .."
	case strings.Contains(path+"/", "/./"):
		return "must be without a segment of one dot"
	}
	return ""
}
