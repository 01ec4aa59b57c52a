//go:build linux || darwin

package cluster

import "golang.org/x/sys/unix"

// bootTime reads the clock that goes on while the host sleeps.
func bootTime() (now Instant, ok bool) {
	var ts unix.Timespec
	err := unix.ClockGettime(bootClockID, &ts)
	return Instant(ts.Nano()), err == nil
}
