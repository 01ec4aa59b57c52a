//go:build system

package child

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSystemFirstProcess is row 43: as the first process of a namespace, which
// gets every orphan, the runner leaves no zombie.
func TestSystemFirstProcess(t *testing.T) {
	sampled(t, assignment{Samples: times(50, 10_000), Subreaper: true, First: true})
}

// TestSystemForkBomb is the last of row 42: a command that forks without end,
// within its group or with a session for each, below a limit of processes.
func TestSystemForkBomb(t *testing.T) {
	for _, kind := range []string{"group", "setsid"} {
		t.Run(kind, func(t *testing.T) {
			for range times(2, 50) {
				g := newPidsGroup(t, 200)
				sampled(t, assignment{Samples: 1, Subreaper: true, Bomb: []string{filepath.Join(g, "cgroup.procs"), kind}})
				if left := members(t, g); len(left) > 0 {
					t.Errorf("%d survivors", len(left))
				}
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
