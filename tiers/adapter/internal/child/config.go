package child

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The limits of one run (S2.14). A [Config] may lower them, and never raise them.
const (
	MaxTimeout = 1500 * time.Millisecond
	MaxOutput  = 256 << 10
)

// Config is what is run, and within which limits.
type Config struct {
	// Argv is the command: an absolute path, and its arguments. Nothing is looked
	// up, expanded or read by a shell.
	Argv []string
	// Env is the whole environment, each as "K=V". None means none: nothing is
	// inherited.
	Env []string
	// Timeout is how long the command may take, more than 0 and at most
	// [MaxTimeout], which zero means.
	Timeout time.Duration
	// MaxOutput is how many bytes the command may print, from 1 to [MaxOutput],
	// which zero means. Exactly as many are taken, and one more fails the run.
	MaxOutput int
	// Subreaper lets the runner adopt every orphan that descends from this process,
	// and kill and reap after each run every child that this process has, whoever
	// started it. It is for a program that starts nothing else, and refused in a
	// process that has children already. It cannot be taken back: the process stays
	// a subreaper after [Runner.Stop]. Linux only.
	Subreaper bool
}

// validate fills in the defaults and refuses what is out of bounds.
func (c Config) validate() (Config, error) {
	if len(c.Argv) == 0 {
		return c, errors.New("child: Argv []: must be an absolute path and its arguments")
	}
	if !filepath.IsAbs(c.Argv[0]) {
		return c, fmt.Errorf("child: Argv[0] %q: must be an absolute path", c.Argv[0])
	}
	if i := slices.IndexFunc(c.Argv, hasNUL); i >= 0 {
		return c, fmt.Errorf("child: Argv[%d] %q: must be without NUL", i, c.Argv[i])
	}
	for i, entry := range c.Env {
		// The value is not told: it may be a secret.
		name, _, ok := strings.Cut(entry, "=")
		if !ok || name == "" || hasNUL(entry) {
			return c, fmt.Errorf("child: Env[%d] %q: must be K=V without NUL", i, name)
		}
	}
	if c.Timeout == 0 {
		c.Timeout = MaxTimeout
	}
	if c.Timeout < 0 || c.Timeout > MaxTimeout {
		return c, fmt.Errorf("child: Timeout %v: must be more than 0 and at most %v", c.Timeout, MaxTimeout)
	}
	if c.MaxOutput == 0 {
		c.MaxOutput = MaxOutput
	}
	if c.MaxOutput < 0 || c.MaxOutput > MaxOutput {
		return c, fmt.Errorf("child: MaxOutput %d: must be 1 to %d bytes", c.MaxOutput, MaxOutput)
	}
	c.Argv, c.Env = slices.Clone(c.Argv), slices.Clone(c.Env)
	return c, nil
}

func hasNUL(s string) bool { return strings.IndexByte(s, 0) >= 0 }
