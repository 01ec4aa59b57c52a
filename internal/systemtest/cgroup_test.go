//go:build system && linux

package systemtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// cgroup is a control group made for one test, of either version.
type cgroup struct {
	dir string
	v2  bool
}

// newCgroup makes a group under the named controller and removes it after the
// test.
func newCgroup(t *testing.T, controller string) cgroup {
	t.Helper()
	parent, v2 := hierarchy(t, controller)
	dir, err := os.MkdirTemp(parent, "loopvitals-")
	if err != nil {
		t.Fatalf("control groups need root: %v", err)
	}
	t.Cleanup(func() {
		// A group can be removed once its last process is gone, which takes the
		// kernel a moment after the process was waited for.
		for range 100 {
			if err = os.Remove(dir); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Error(err)
	})
	return cgroup{dir, v2}
}

// hierarchy finds where the controller is mounted: in a hierarchy of its own,
// or in the unified one.
func hierarchy(t *testing.T, controller string) (dir string, v2 bool) {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if fields[2] == "cgroup" && strings.Contains(","+fields[3]+",", ","+controller+",") {
			return fields[1], false
		}
		if fields[2] == "cgroup2" {
			dir = fields[1]
		}
	}
	if dir == "" {
		t.Fatalf("no control group hierarchy with %s", controller)
	}
	return dir, true
}

// write sets one file of the group.
func (g cgroup) write(t *testing.T, file, value string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, file), []byte(value), 0o644); err != nil {
		t.Fatal(err)
	}
}

// add moves a process into the group.
func (g cgroup) add(t *testing.T, process int) {
	t.Helper()
	g.write(t, "cgroup.procs", strconv.Itoa(process))
}

// freeze stops every process of the group, or lets them go on.
func (g cgroup) freeze(t *testing.T, frozen bool) {
	t.Helper()
	switch {
	case g.v2 && frozen:
		g.write(t, "cgroup.freeze", "1")
	case g.v2:
		g.write(t, "cgroup.freeze", "0")
	case frozen:
		g.write(t, "freezer.state", "FROZEN")
	default:
		g.write(t, "freezer.state", "THAWED")
	}
}

// limitCPU gives the group part of one CPU, in slices of the period.
func (g cgroup) limitCPU(t *testing.T, part, period time.Duration) {
	t.Helper()
	microseconds := func(d time.Duration) string { return strconv.FormatInt(d.Microseconds(), 10) }
	if g.v2 {
		g.write(t, "cpu.max", microseconds(part)+" "+microseconds(period))
		return
	}
	g.write(t, "cpu.cfs_period_us", microseconds(period))
	g.write(t, "cpu.cfs_quota_us", microseconds(part))
}
