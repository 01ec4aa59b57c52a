package cluster

import "golang.org/x/sys/unix"

// BootClock is the clock of production: CLOCK_BOOTTIME on Linux, which goes on
// while the host sleeps, as the runtime's own monotonic clock does not. On other
// systems it is the monotonic or the calendar clock, whichever has gone further.
// Cost: one system call.
type BootClock struct{}

// Now reads the clock.
func (BootClock) Now() Instant {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return elapsed() // a sandbox that forbids the call
	}
	return Instant(ts.Nano())
}
