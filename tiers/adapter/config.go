package adapter

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// The paths unless told.
const (
	defaultStartupPath = "/startup"
	defaultReadyPath   = "/ready"
	defaultLivePath    = "/live"
)

// Config says which node is answered for, how it is asked and where the answers
// are. Node, Listen and Command are required; every other zero is not set. The
// keys of the file that ReadConfig reads are the same names with a small first
// letter.
type Config struct {
	// Node is the identity that an observation must have, byte by byte (S2.3).
	// The rules of observation.ValidName hold.
	Node string

	// Listen is where HTTP is served: a loopback address without a zone (S2.1).
	// Port 0 is any free port. It is also the only Host that is answered (S2.8).
	Listen netip.AddrPort

	// Peer is the only address that is answered, a loopback one of Listen's family
	// (S2.8). Zero is any loopback address.
	Peer netip.Addr

	// Command is the fixed operation that prints an observation: the absolute path
	// of an executable file that others cannot write, and its arguments. There is
	// no shell, and no request changes any of it (S2.2).
	Command []string

	// Environment is all that the command finds in its environment, as NAME=value,
	// no name twice. Empty is none at all: nothing is inherited. It is no place for
	// a secret; the command reads its token from a file.
	Environment []string

	// TokenFile is the absolute path of the file with the command's secret. It is
	// never opened here: New only makes sure that it is a file which others cannot
	// read. Empty looks at nothing.
	TokenFile string

	// StartupPath, ReadyPath and LivePath are the three paths that are served,
	// exactly as written and no other (S2.7). They differ, begin with a slash, and
	// have letters, digits and _ . - in their segments, which are neither empty nor
	// all dots; at most 200 bytes. Empty is /startup, /ready and /live.
	StartupPath, ReadyPath, LivePath string

	// Timeout is how long one run of the command may take, at most 1.5 s (S2.14).
	// Zero is 1.5 s.
	Timeout time.Duration

	// Pause is how long after the end of a run the next begins, 100 ms to 1 s
	// (S2.14). Zero is 1 s.
	Pause time.Duration

	// MaximumAge is how old an observation may be, counted from the start of its
	// sample, for an answer of 200: more than Pause, at most 3 s (S2.11). Zero is
	// 3 s. Readiness is steady while the command takes less than half of what
	// MaximumAge leaves beside Pause and the age of the node's own facts (A13).
	MaximumAge time.Duration

	// Subreaper lets this process adopt and kill what the command leaves behind,
	// even in a session of its own. Every other child of the process is taken for
	// one of them, so only a program that has no other children sets it, and New
	// refuses it in a process that has one already; it has no key in the file, since
	// it depends on the program alone. Linux only.
	Subreaper bool
}

// validate fills in what is not set, normalises, and refuses the rest in the order
// of the fields. The files are looked at last.
func (c Config) validate() (Config, error) {
	if !observation.ValidName(c.Node) {
		return Config{}, invalid("node", c.Node, "must be 1 to %d bytes of valid UTF-8 without control and format characters", observation.MaxNameBytes)
	}
	var err error
	if c.Listen, c.Peer, err = validAddresses(c.Listen, c.Peer); err != nil {
		return Config{}, err
	}
	if err := validCommand(c.Command, c.Environment); err != nil {
		return Config{}, err
	}
	if err := c.fillPaths(); err != nil {
		return Config{}, err
	}
	if err := c.fillTimes(); err != nil {
		return Config{}, err
	}
	if err := validFiles(c.Command[0], c.TokenFile); err != nil {
		return Config{}, err
	}
	c.Command, c.Environment = slices.Clone(c.Command), slices.Clone(c.Environment)
	return c, nil
}

// invalid names a key, its value as printable ASCII on one line, and what must be.
func invalid(key, value, bound string, args ...any) error {
	return fmt.Errorf("adapter: %s %+.80q: %s", key, value, fmt.Sprintf(bound, args...))
}
