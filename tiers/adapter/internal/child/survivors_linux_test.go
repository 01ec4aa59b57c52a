package child

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// survivors finds all processes that have the mark among their arguments. The dead
// have no arguments.
func survivors(mark string) (list []int) {
	for _, pid := range processes() {
		line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if err == nil && bytes.Contains(line, []byte(mark)) {
			list = append(list, pid)
		}
	}
	return list
}

// children finds what this process has not reaped, dead or alive.
func children() (list []string) {
	for _, pid := range processes() {
		if parent, ok := parentOf(pid); ok && parent == os.Getpid() {
			stat, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
			list = append(list, strings.TrimSpace(string(stat)))
		}
	}
	return list
}

// descriptors counts what this process has open. Go opens two for its poller with
// the first file that it reads, so that is done first.
func descriptors() int {
	_, _ = os.ReadFile("/proc/self/stat")
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		panic(err)
	}
	return len(entries)
}

// longAgo is how long a test waits for what must happen soon. A busy machine may
// need a part of it.
const longAgo = 30 * time.Second

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for until := time.Now().Add(longAgo); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("not within %v: %s", longAgo, what)
		}
	}
}

// nothingLeft checks that all of a test is gone. Without a subreaper nobody can
// wait for the dead of a group, so they may need a moment to die of their signal.
func nothingLeft(t *testing.T, mark string) {
	t.Helper()
	if list := lasting(mark); len(list) > 0 {
		t.Errorf("survivors: %v", list)
		exterminate(mark)
	}
	if list := children(); len(list) > 0 {
		t.Errorf("children not reaped: %q", list)
	}
}

// lasting finds the survivors that are not about to die.
func lasting(mark string) (list []int) {
	for until := time.Now().Add(longAgo); ; time.Sleep(time.Millisecond) {
		if list = survivors(mark); len(list) == 0 || time.Now().After(until) {
			return list
		}
	}
}

// exterminate kills what a test expects, or fails with.
func exterminate(mark string) {
	for _, pid := range survivors(mark) {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}
