//go:build !linux

package cluster

// BootClock is the clock of production: the monotonic or the calendar clock,
// whichever has gone further, since the first may stand still while the host
// sleeps. On Linux it is CLOCK_BOOTTIME.
type BootClock struct{}

// Now reads the clock.
func (BootClock) Now() Instant { return elapsed() }
