package prom

import (
	"fmt"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// Option configures an Exporter.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// config is what the options say. newConfig validates it.
type config struct {
	prefix string
	clock  board.Clock // nil: the real one
}

// WithNamePrefix puts a prefix before every name, given as to
// otelbridge.WithNamePrefix (S4.41, S4.42): "otopcua." gives
// otopcua_liveness_processor_status. It is a letter, then letters, digits and
// _ . - / up to 200 bytes in all, with a dot or an underscore at the end. Rules
// and dashboards need the same prefix. The default is none.
func WithNamePrefix(prefix string) Option {
	return optionFunc(func(c *config) { c.prefix = prefix })
}

// WithClock sets the calendar clock of the exported timestamps; no age and no
// verdict depends on it. Nil, and the default, is the real one.
func WithClock(calendar board.Clock) Option {
	return optionFunc(func(c *config) { c.clock = calendar })
}

func newConfig(opts []Option) (config, error) {
	var c config
	for _, o := range opts {
		if o != nil {
			o.apply(&c)
		}
	}
	if err := catalogue.ValidatePrefix(c.prefix); err != nil {
		return c, fmt.Errorf("prom: %w", err)
	}
	return c, nil
}
