package board

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Clock tells the time. A *clock.Mock of benbjohnson/clock is one.
type Clock interface {
	Now() time.Time
}

// Bounds of a coarse clock's resolution, and its default.
const (
	minResolution     = 100 * time.Microsecond
	maxResolution     = time.Second
	defaultResolution = 10 * time.Millisecond
)

// lateTicks is how many ticks a coarse clock may miss before its own stall is
// told to the readers of the board.
const lateTicks = 5

// exact reads the clock: nanoseconds since the base, by the monotonic clock
// unless a Clock was given.
func (b *Board) exact() stamp {
	if b.clock == nil {
		return stamp(time.Since(b.base))
	}
	return b.mocked()
}

// mocked is the reading of the Clock that was given. A reading before the base
// counts as zero.
func (b *Board) mocked() stamp {
	return stamp(min(max(b.clock.Now().Sub(b.base), 0), time.Duration(maxStamp)))
}

// now is the stamp for what is no report: a pass over the board, an end.
func (b *Board) now() stamp {
	if tick := atomic.LoadUint64(&b.tick); !exact(tick) {
		return word(tick).stamp()
	}
	return b.exact()
}

// A board's tick is its coarse clock's reading, as the word of a processor that
// beat at it, so that one comparison tells a beat that changes nothing. Where no
// coarse clock runs it says which exact clock to read; no word without its cell
// is equal to either.
const (
	monotonic = cellMask     // the monotonic clock
	mocked    = cellMask - 1 // the Clock that was given
)

// exact tells whether a tick says to read an exact clock.
func exact(tick uint64) bool { return tick == monotonic || tick == mocked }

func (b *Board) setTick(at stamp) {
	atomic.StoreUint64(&b.tick, uint64(pack(at, code(Running), 0)))
}

// stopTick makes reports read the exact clock.
func (b *Board) stopTick() {
	now := uint64(monotonic)
	if b.clock != nil {
		now = mocked
	}
	atomic.StoreUint64(&b.tick, now)
}

// coarseClock is what WithCoarseClock adds to a board: Run renews the tick once
// per resolution.
type coarseClock struct {
	resolution time.Duration
	running    atomic.Bool
	resumed    atomic.Uint64 // the stamp + 1 after the last stall
}

// errTwoRuns is what the second Run of one board returns.
var errTwoRuns = errors.New("board: Run is running already")

// Run drives the coarse clock of WithCoarseClock until ctx is done, and returns
// nil then. Before it starts and after it ends reports read the exact clock. On
// a board without a coarse clock it returns at once. A second Run of the same
// board is an error.
func (b *Board) Run(ctx context.Context) error {
	if b == nil || b.coarse == nil {
		return nil
	}
	if b.invalid != nil {
		return b.invalid
	}
	if ctx == nil {
		ctx = context.Background() //nolint:forbidigo // nil is a caller without an end
	}
	c := b.coarse
	if !c.running.CompareAndSwap(false, true) {
		return errTwoRuns
	}
	defer c.running.Store(false)
	defer b.stopTick()
	ticker := time.NewTicker(c.resolution)
	defer ticker.Stop()
	late := max(lateTicks*c.resolution, 100*time.Millisecond)
	last := b.exact()
	for {
		at := b.exact()
		if time.Duration(at-last) > late {
			// First the mark, then the reading: whoever sees ages jump also
			// sees why.
			c.resumed.Store(uint64(at) + 1)
		}
		b.setTick(at)
		last = at
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// Now is the time since the board's base by its exact clock, also on a board
// with a coarse one. It is never negative; zero on a nil board.
func (b *Board) Now() time.Duration {
	if b == nil || b.byKey == nil {
		return 0
	}
	return time.Duration(b.exact())
}

// ClockAge tells how far the coarse clock is behind the exact one; zero on a
// board without one, or while Run does not run. A large value means that the
// clock stalls: ages stand still, and no silence can be seen (a stalled clock
// is never read as silence of the loops).
func (b *Board) ClockAge() time.Duration {
	if b == nil || b.coarse == nil {
		return 0
	}
	return ageOf(b.exact(), b.now())
}

// ClockResumed tells when the coarse clock last went on after a stall of more
// than five ticks (100 ms at least), on the scale of Now, and false when it
// never stalled. Ages that crossed the stall are not silence.
func (b *Board) ClockResumed() (time.Duration, bool) {
	if b == nil || b.coarse == nil {
		return 0, false
	}
	at := b.coarse.resumed.Load()
	return time.Duration(max(at, 1) - 1), at != 0
}

func (c *coarseClock) validate() error {
	if c.resolution < minResolution || c.resolution > maxResolution {
		return fmt.Errorf("board: coarse clock resolution %v: must be %v to %v", c.resolution, minResolution, maxResolution)
	}
	return nil
}
