package cluster

import (
	"sync"
	"time"
)

// wake is a clock made of two: the monotonic one may stand still while the host
// sleeps, and the calendar may be set. It goes on by whichever has gone further
// since the last reading, so it is never behind true time; it can be ahead of it,
// which ends a claim too early and never too late.
type wake struct {
	mu    sync.Mutex
	last  time.Time
	total time.Duration
}

var fallback = wake{last: time.Now()}

// elapsed reads the fallback clock.
func elapsed() Instant { return fallback.at(time.Now()) }

// at is the reading at a moment that carries both clocks.
func (w *wake) at(now time.Time) Instant {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.step(now.Sub(w.last), now.Round(0).Sub(w.last.Round(0)), now)
}

// step goes on by the longer of two spans. A reading older than the last, of a
// goroutine that came late, changes nothing.
func (w *wake) step(monotonic, calendar time.Duration, now time.Time) Instant {
	if monotonic >= 0 {
		w.total += max(monotonic, calendar)
		w.last = now
	}
	return Instant(w.total)
}
