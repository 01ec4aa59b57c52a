package resubscribe

import (
	"log/slog"
	"math/rand/v2"
)

// Option gives a Guard a collaborator. A nil collaborator is the default.
type Option interface{ apply(*Guard) }

type optionFunc func(*Guard)

func (f optionFunc) apply(g *Guard) { f(g) }

// WithLogger sets the log hook: one line for each attempt and one for its end, a
// warning where it was presumed lost or failed. So a service that subscribes once
// writes two. The handler is called outside of all locks; one that blocks keeps the
// caller. The default is no log.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(g *Guard) {
		if l != nil {
			g.log.to = l.With("guard", g.config.Key)
		}
	})
}

// WithReporter has the Guard report to r. The default reports to nobody.
func WithReporter(r Reporter) Option {
	return optionFunc(func(g *Guard) {
		if !isNil(r) {
			g.report.to = r
		}
	})
}

// WithRandom sets where the jitter comes from, so that a simulation can be repeated:
// a function that returns numbers from 0 up to 1, as rand.Float64 does, which is the
// default. It is called by any goroutine, outside of all locks, at most
// once for each Begin and each look of Run.
func WithRandom(random func() float64) Option {
	return optionFunc(func(g *Guard) {
		if random != nil {
			g.random = random
		}
	})
}

// chance is the default of WithRandom.
func chance() float64 { return rand.Float64() }

// draw asks for a random number, whatever the function does.
func (g *Guard) draw() (random float64) {
	if g.config.NoJitter {
		return 0
	}
	defer func() { _ = recover() }()
	return g.random()
}
