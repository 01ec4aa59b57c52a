package main

import (
	"math"

	"golang.org/x/sys/unix"
)

// keepInherited has no command inherit what this process has from whoever started
// it: a shell that left a file or a socket open would hand it on (A7). An old kernel
// refuses, and then it is as careless as its starter was.
func keepInherited() { _ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) }
