package redundancy

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// maxNameBytes is the longest name of a server.
const maxNameBytes = 1024

// Servers returns what a server of the pair tells its clients: this node's name and
// then its configured peers, none of them twice (S4.39). It is the caller's. The
// first is missing while the node has no name: none was configured, and the cluster
// has not told its address. A nil Node has none.
func (n *Node) Servers() []string {
	if n == nil || n.config.Source == nil {
		return nil
	}
	name := n.config.Advertise
	if v := look(n.config.Source).view; name == "" && v != nil {
		name = v.Self.Address
	}
	var servers []string
	for _, s := range append([]string{name}, n.config.Peers...) {
		if s != "" && !slices.Contains(servers, s) {
			servers = append(servers, s)
		}
	}
	return servers
}

// validateNames refuses names that do not show.
func (c *Config) validateNames() error {
	if bound := nameBound(c.Advertise); c.Advertise != "" && bound != "" {
		return fmt.Errorf("redundancy: advertise %.80q: must %s", c.Advertise, bound)
	}
	for i, name := range c.Peers {
		if bound := nameBound(name); bound != "" {
			return fmt.Errorf("redundancy: peers %d %.80q: must %s", i, name, bound)
		}
	}
	return nil
}

// nameBound says which bound a name breaks, or nothing.
func nameBound(name string) string {
	switch {
	case name == "":
		return "not be empty"
	case len(name) > maxNameBytes:
		return fmt.Sprintf("have at most %d bytes", maxNameBytes)
	case !utf8.ValidString(name):
		return "be valid UTF-8"
	}
	for _, r := range name {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return fmt.Sprintf("not contain %U, which does not show", r)
		}
	}
	return ""
}
