package child

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// relative is a process that descends from this one.
type relative struct{ pid, parent int }

// signal sends a signal, unless the number has meanwhile gone to a stranger, which
// it can: a grandchild is reaped by its parent. The handle is taken first and the
// parent looked at then, so it is the process with that parent that is meant.
func (e *engine) signal(r relative, s unix.Signal) {
	fd, err := e.pidfdOpen(r.pid, 0)
	if err == unix.ESRCH {
		return
	}
	if parent, ok := parentOf(r.pid); !ok || parent != r.parent {
		if err == nil {
			_ = unix.Close(fd)
		}
		return
	}
	if err != nil {
		_ = unix.Kill(r.pid, s) // a kernel without handles: the gap is some µs
		return
	}
	_ = unix.PidfdSendSignal(fd, s, nil, 0)
	_ = unix.Close(fd)
}

// descendants finds the children of this process, theirs, and so on. It looks
// through all processes: /proc/self/task/*/children would be quicker, but not
// every kernel has it, and this is not done unless something was left behind.
// Without a /proc of this process's own namespace it finds none: the numbers in
// another one mean others here.
func descendants() []relative {
	self := os.Getpid()
	if link, err := os.Readlink("/proc/self"); err != nil || link != strconv.Itoa(self) {
		return nil
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == self {
			continue
		}
		if parent, ok := parentOf(pid); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	family := []relative{{pid: self}}
	for i := 0; i < len(family); i++ {
		for _, pid := range children[family[i].pid] {
			family = append(family, relative{pid, family[i].pid})
		}
	}
	return family[1:]
}

// parentOf reads who the parent of a process is.
func parentOf(pid int) (parent int, ok bool) {
	// "12 (a name) S 1 ...": the name may hold anything, blanks and brackets too.
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return parent, err == nil
}
