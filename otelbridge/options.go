package otelbridge

import (
	"fmt"
	"regexp"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// Option configures a Bridge.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// config is what the options say. newConfig validates it.
type config struct {
	prefix string
	clock  board.Clock
}

// maxPrefixBytes leaves room for the longest name within the 255 bytes that an
// instrument's name may have.
const maxPrefixBytes = 200

// prefixForm is the form of an instrument's name, with a separator at its end:
// "otopcua" without one would give "otopcualiveness.processor.status".
var prefixForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.\-/]*[._]$`)

// WithNamePrefix puts a prefix such as "otopcua." before the name of every
// instrument (S4.41, S4.42): a letter, then letters, digits and _ . - / up to
// 200 bytes in all, with a dot or an underscore at the end. Rules and
// dashboards need the same prefix. The default is none.
func WithNamePrefix(prefix string) Option {
	return optionFunc(func(c *config) { c.prefix = prefix })
}

// WithClock sets the calendar clock of the exported timestamps; no age and no
// verdict depends on it. Nil, and the default, is the real one.
func WithClock(calendar board.Clock) Option {
	return optionFunc(func(c *config) {
		if calendar != nil {
			c.clock = calendar
		}
	})
}

func newConfig(opts []Option) (config, error) {
	c := config{clock: realClock{}}
	for _, o := range opts {
		if o != nil {
			o.apply(&c)
		}
	}
	switch {
	case len(c.prefix) > maxPrefixBytes:
		return c, fmt.Errorf("otelbridge: name prefix of %d bytes: must be at most %d", len(c.prefix), maxPrefixBytes)
	case c.prefix != "" && !prefixForm.MatchString(c.prefix):
		return c, fmt.Errorf("otelbridge: name prefix %q: must be a letter, then letters, digits and _ . - /, with a dot or an underscore at the end", c.prefix)
	}
	return c, nil
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }
