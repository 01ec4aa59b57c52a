package adapter

import "golang.org/x/sys/unix"

// now reads the clock of production: CLOCK_BOOTTIME, which goes on while the
// host sleeps, so that what was true before is old afterwards. A sandbox that
// forbids to read it gets the clock of Go's timers.
func now() instant {
	if !hasBootTime {
		return goClock()
	}
	now, _ := bootTime()
	return now
}

// hasBootTime is found out once: readings of two clocks must never mix.
var hasBootTime = func() bool { _, ok := bootTime(); return ok }()

func bootTime() (now instant, ok bool) {
	var ts unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts)
	return instant(ts.Nano()), err == nil
}
