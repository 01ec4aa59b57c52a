package cluster

import "golang.org/x/sys/unix"

// On this system the monotonic clock counts the time asleep.
const bootClockID = unix.CLOCK_MONOTONIC
