package adapter

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// measure asks the kernel about this process.
func (u *Usage) measure() {
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) == nil {
		u.CPU = time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range bytes.Lines(status) {
			u.take(line)
		}
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.Descriptors = len(open) - 1 // without the one that read them
	}
}

// take reads one line of /proc/self/status, such as "VmRSS:     2048 kB".
func (u *Usage) take(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	fields := bytes.Fields(value)
	if len(fields) == 0 {
		return
	}
	number, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return
	}
	switch string(name) {
	case "VmRSS":
		u.RSS = number << 10
	case "VmHWM":
		u.PeakRSS = number << 10
	case "Threads":
		u.Threads = int(number)
	}
}
