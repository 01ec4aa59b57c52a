package otelbridge

import (
	"fmt"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// Option configures a Bridge.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// config is what the options say. newConfig validates it.
type config struct {
	prefix string
	clock  board.Clock // nil: the real one
	limit  int         // on the series of an instrument; none if not positive
}

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
	return optionFunc(func(c *config) { c.clock = calendar })
}

// WithCardinalityLimit tells the Bridge how many series the provider keeps of one
// instrument, which it cannot ask: the number that was given to the SDK's option
// of the same name. It changes nothing about that limit. What is past it is the
// value of liveness.export.dropped_series, and when that begins OpenTelemetry's
// error handler is told, which writes to the log unless the application set
// another. The default is the SDK's, 2000; 0 and less mean no limit, as they do
// there.
func WithCardinalityLimit(series int) Option {
	return optionFunc(func(c *config) { c.limit = series })
}

func newConfig(opts []Option) (config, error) {
	c := config{limit: defaultLimit}
	for _, o := range opts {
		if o != nil {
			o.apply(&c)
		}
	}
	if err := catalogue.ValidatePrefix(c.prefix); err != nil {
		return c, fmt.Errorf("otelbridge: %w", err)
	}
	return c, nil
}
