package child

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// explode forks in a loop, and so do the children. A forked Go process has one
// thread and no scheduler, so nothing here may need one: raw system calls only.
//
//go:norace
//go:nocheckptr
func explode(until int64, setsid bool) {
	var now unix.Timespec
	for now.Sec < until {
		syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
		if setsid {
			syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
		}
		syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&now)), 0)
	}
	syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
}
