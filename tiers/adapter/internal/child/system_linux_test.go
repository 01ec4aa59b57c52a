//go:build system

package child

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSystemFirstProcess is row 43: as the first process of a namespace, which
// gets every orphan, the runner leaves no zombie.
func TestSystemFirstProcess(t *testing.T) {
	sampled(t, assignment{Samples: times(50, 10_000), Subreaper: true, First: true})
}

// TestSystemForeignProc has a /proc of another namespace, whose numbers are those
// of strangers here: nobody is looked for in it, so nobody is hurt, and what is left
// is told.
func TestSystemForeignProc(t *testing.T) {
	mark := newMark()
	argv := act("foreign proc", mark)
	command := exec.Command(argv[0], argv[1:]...)
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID}
	output, err := command.Output() // everybody in there dies with it
	if err != nil || string(output) != "0 processes, leftover, 1 left" {
		t.Errorf("got %q, %v", output, err)
	}
	nothingLeft(t, mark)
}

// TestSystemForkBomb is the last of row 42: a command that forks without end,
// within its group or with a session for each, below a limit of processes. A busy
// machine may need more than one run to be rid of it; no second command is started
// before.
func TestSystemForkBomb(t *testing.T) {
	for _, kind := range []string{"group", "setsid"} {
		t.Run(kind, func(t *testing.T) {
			for range times(2, 50) {
				group := newPidsGroup(t, 100)
				argv := act("bombed", newMark(), filepath.Join(group, "cgroup.procs"), kind, filepath.Join(t.TempDir(), "used"))
				command := exec.Command(argv[0], argv[1:]...)
				command.Stderr = os.Stderr
				output, err := command.Output()
				if err != nil {
					t.Errorf("%v", err)
				}
				if left := members(t, group); len(left) > 0 {
					t.Errorf("%d survivors", len(left))
				}
				t.Logf("%s", output)
			}
		})
	}
}

// newPidsGroup makes a control group with a limit of processes, of either version.
func newPidsGroup(t *testing.T, limit int) (folder string) {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mounts")
	must(t, err)
	var parent string
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if fields[2] == "cgroup" && strings.Contains(","+fields[3]+",", ",pids,") {
			parent = fields[1]
			break
		}
		if fields[2] == "cgroup2" {
			parent = fields[1]
		}
	}
	if parent == "" {
		t.Fatal("no control groups")
	}
	if subtree := filepath.Join(parent, "cgroup.subtree_control"); exists(subtree) {
		must(t, os.WriteFile(subtree, []byte("+pids"), 0o644))
	}
	folder, err = os.MkdirTemp(parent, "loopvitals-")
	if err != nil {
		t.Fatalf("control groups need root: %v", err)
	}
	t.Cleanup(func() {
		// Only a failed test has something to stop and kill here.
		for _, signal := range []unix.Signal{unix.SIGSTOP, unix.SIGSTOP, unix.SIGKILL} {
			for _, pid := range members(t, folder) {
				_ = unix.Kill(pid, signal)
			}
		}
		eventually(t, "the group can be removed", func() bool { return os.Remove(folder) == nil })
	})
	must(t, os.WriteFile(filepath.Join(folder, "pids.max"), []byte(strconv.Itoa(limit)), 0o644))
	return folder
}

func exists(file string) bool { _, err := os.Stat(file); return err == nil }

// members lists the processes of a control group.
func members(t *testing.T, folder string) (list []int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "cgroup.procs"))
	must(t, err)
	for _, line := range bytes.Fields(text) {
		list = append(list, number(string(line)))
	}
	return list
}
