package check

import (
	"log/slog"

	"github.com/benbjohnson/clock"
)

// Option is a collaborator of a Runner.
type Option interface{ apply(*Runner) }

type optionFunc func(*Runner)

func (f optionFunc) apply(r *Runner) { f(r) }

// WithClock sets the clock. The default is the real one.
func WithClock(c clock.Clock) Option {
	return optionFunc(func(r *Runner) {
		if c != nil {
			r.clock = c
		}
	})
}

// WithLogger sets where changes of the check's state go, each with
// Result.Err. The default is nowhere.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(r *Runner) { r.log = l })
}

// WithObserver adds a function that is given every sample after it was taken.
func WithObserver(observe func(Sample)) Option {
	return optionFunc(func(r *Runner) { r.observe = observe })
}
