package board

import "time"

// Option is a collaborator or a limit of a Board.
type Option interface{ apply(*Board) }

type optionFunc func(*Board)

func (f optionFunc) apply(b *Board) { f(b) }

// WithClock takes the time from c instead of the monotonic clock (S5.7). Ages
// are then differences of c's readings; nil is the default clock. The board's
// base is the reading at New, and zero is a legal time.
func WithClock(c Clock) Option {
	return optionFunc(func(b *Board) { b.clock = c })
}

// WithCoarseClock makes reports read a clock that Board.Run renews once per
// resolution (0.1 ms to 1 s; zero is 10 ms): a beat then costs about a
// nanosecond. The price: ages are exact to one resolution only, and at most one
// beat per resolution is counted. While Run does not run, reports read the
// exact clock.
func WithCoarseClock(resolution time.Duration) Option {
	return optionFunc(func(b *Board) {
		if resolution == 0 {
			resolution = defaultResolution
		}
		b.coarse = &coarseClock{resolution: resolution}
	})
}

// WithMaxProcessors refuses the registration of more than n live processors
// with ErrFull; zero is no limit. Nothing is ever evicted.
func WithMaxProcessors(n int) Option {
	return optionFunc(func(b *Board) { b.limit = n })
}

// WithName names the board, so that two boards of one process can be told
// apart in every output (S5.24). The rules for ids hold. Empty is no name.
func WithName(name string) Option {
	return optionFunc(func(b *Board) { b.name = name })
}
