package child

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// processes lists all processes in the order of their numbers. Only what descends
// from this one is wanted, for which /proc/self/task/*/children would be quicker;
// but not every kernel has that file, and this is not done unless something was
// left behind. Without a /proc of this process's own namespace there is none: the
// numbers in another one mean others here.
func processes() (list []int) {
	if link, err := os.Readlink("/proc/self"); err != nil || link != strconv.Itoa(os.Getpid()) {
		return nil
	}
	folder, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1) // those read before an error are as good
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// parentOf reads who the parent of a process is.
func parentOf(pid int) (parent int, ok bool) {
	parent, _, ok = look(pid)
	return parent, ok
}

// isDead tells whether a child of this process only waits to be reaped.
func isDead(pid int) bool { return (&process{pid: pid}).dead() }

// look reads who the parent of a process is, and whether it is stopped.
func look(pid int) (parent int, stopped, ok bool) {
	// Not by package os, which makes three times as many system calls: one process
	// looks at hundreds, which may leave it little of the processor.
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, false, false
	}
	defer func() { _ = unix.Close(fd) }()
	var buffer [512]byte
	n, err := unix.Read(fd, buffer[:])
	if err != nil {
		return 0, false, false
	}
	return statIn(buffer[:n])
}

// statIn finds both in the text of a stat file, "12 (a name) S 1 ...". The name
// may hold anything, blanks and brackets too.
func statIn(stat []byte) (parent int, stopped, ok bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, false, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, string(fields[0]) == "T", err == nil
}
