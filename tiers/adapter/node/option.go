package node

import "log/slog"

// Option gives a Server a collaborator.
type Option interface{ apply(*settings) }

type optionFunc func(*settings)

func (f optionFunc) apply(s *settings) { f(s) }

// settings are what options set.
type settings struct{ log *slog.Logger }

func settingsOf(options []Option) (s settings) {
	for _, o := range options {
		if o != nil {
			o.apply(&s)
		}
	}
	return s
}

// WithLogger has the server log when a fact begins and ceases to be known, and why.
// Nil, and the default, log nothing.
func WithLogger(log *slog.Logger) Option {
	return optionFunc(func(s *settings) { s.log = log })
}
