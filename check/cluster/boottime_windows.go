package cluster

import "golang.org/x/sys/windows"

// bootTime reads the clock that goes on while the host sleeps. It advances in steps
// of about 16 ms, for which every margin has room.
func bootTime() (now Instant, ok bool) { return Instant(windows.DurationSinceBoot()), true }
