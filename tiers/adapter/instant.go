package adapter

import "time"

// instant is a reading of a clock that does not follow the calendar, counted
// from a point of its own. No verdict knows any other clock (X27).
type instant time.Duration

// since is the time that has passed, and never negative.
func (i instant) since(earlier instant) time.Duration {
	return max(time.Duration(i-earlier), 0)
}

// less is the instant that was d earlier.
func (i instant) less(d time.Duration) instant { return i - instant(d) }

var processStart = time.Now()

// goClock is the clock of Go's timers, which stands still while a host sleeps.
func goClock() instant { return instant(time.Since(processStart)) }
