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
	for _, r := range runners {
		settled(r)
	}
	runners = nil
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

// runners are those that this test has made, none of which runs any more when it
// looks for what is left.
var runners []*Runner

func newRunner(t *testing.T, c Config) *Runner {
	t.Helper()
	r, err := New(c)
	must(t, err)
	runners = append(runners, r)
	t.Cleanup(func() { finish(r) })
	return r
}

// finish stops a runner that is not running.
func finish(r *Runner) {
	r.Stop()
	settled(r)
}

// settled waits for what the last run did not wait for, which is little unless the
// machine is very busy: a dead child would be in the way of the next test.
func settled(r *Runner) {
	e := r.engine
	w := &patience{until: time.Now().Add(longAgo), hurried: true}
	if e.left != 0 {
		p := &process{pid: e.left, pidfd: -1, out: -1}
		e.left = 0
		e.bury(p, w)
	}
	if e.littered {
		e.sweepIf(w)
	}
}
