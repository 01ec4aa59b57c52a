package check

import (
	"log/slog"
	"reflect"

	"github.com/benbjohnson/clock"
)

// Option gives a Runner a collaborator. A nil collaborator is the default.
type Option interface{ apply(*Runner) }

type optionFunc func(*Runner)

func (f optionFunc) apply(r *Runner) { f(r) }

// WithClock sets the clock of limits, ages and the schedule. The default is
// the real one.
func WithClock(c clock.Clock) Option {
	return optionFunc(func(r *Runner) {
		if c == nil {
			return
		}
		// CheckAll compares clocks, and a value that is no pointer may be of a
		// type that panics then.
		if reflect.TypeOf(c).Kind() != reflect.Pointer {
			c = &pointed{c}
		}
		r.clock = c
	})
}

// pointed is a clock that can be compared.
type pointed struct{ clock.Clock }

// WithLogger sets the log hook: one line for each change of the check's
// status or outcome, with Result.Err, which goes nowhere else. A check that
// flaps gets at most one line a second. What changes within a second of a line
// is told when that second is over, if it is still so then: the last line tells
// the newest state a second later at most, with the number of changes that were
// skipped, also when no further sample comes. The default is no log.
//
// The handler is called outside every lock, by one goroutine at a time. It
// may block, panic or call any method of the Runner: no probe notices.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(r *Runner) {
		if l != nil {
			r.outlets = append(r.outlets, newChangeLog(l, r))
		}
	})
}

// WithObserver adds a function that is given every sample once it was taken:
// finished runs, and runs that reached their limit. It may be used more than
// once.
//
// The function is called outside every lock, by one goroutine at a time. It
// may block, panic or call any method of the Runner: no probe notices. While
// it is behind, the newest 16 samples wait for it, and Events counts the rest.
// One that asks for a sample from inside itself is called for that sample too:
// of an Instant check, and of any other past its reuse time, that never ends.
func WithObserver(observe func(Sample)) Option {
	return optionFunc(func(r *Runner) {
		if observe != nil {
			r.outlets = append(r.outlets, &outlet{call: observe})
		}
	})
}
