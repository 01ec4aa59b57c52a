package cluster

import "golang.org/x/sys/unix"

const bootClockID = unix.CLOCK_BOOTTIME
