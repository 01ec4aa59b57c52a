package cluster

import "time"

// BootClock is the clock of production. It goes on while the host sleeps, as the
// clock of Go's timers does not, and does not follow the calendar: on Linux it is
// CLOCK_BOOTTIME, and macOS and Windows have the like. Elsewhere, and in a sandbox
// that forbids to read it, it is the clock of Go's timers; such a host must not
// sleep (ADR 0021). Cost: one system call.
type BootClock struct{}

// Now reads the clock.
func (BootClock) Now() Instant {
	if !hasBootTime {
		return Instant(time.Since(processStart))
	}
	now, _ := bootTime()
	return now
}

var processStart = time.Now()

// hasBootTime is found out once: readings of two clocks must never mix.
var hasBootTime = func() bool { _, ok := bootTime(); return ok }()
