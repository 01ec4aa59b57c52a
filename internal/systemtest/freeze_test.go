//go:build system && linux

package systemtest

import (
	"testing"
	"time"
)

// freezes is how often each child is frozen, for longer than its loop's bound.
const freezes = 5

// TestSystemFreezer freezes a whole process with the control group freezer, as
// container runtimes and hosts do (F6, F12). A silence that everybody shared is
// no wedge, and a true wedge is found after a freeze as before it.
func TestSystemFreezer(t *testing.T) {
	for _, processors := range []string{"1", "2"} {
		t.Run("GOMAXPROCS="+processors, func(t *testing.T) {
			t.Parallel()
			group := newCgroup(t, "freezer")
			c := startChild(t, "GOMAXPROCS="+processors)
			group.add(t, c.command.Process.Pid)
			for range freezes {
				group.freeze(t, true)
				time.Sleep(bound + bound/2)
				group.freeze(t, false)
				time.Sleep(bound)
			}
			s := c.wedge(t)
			t.Logf("%+v", s)
			if s.wrong > 0 {
				t.Errorf("%d false wedges", s.wrong)
			}
			if s.silences < freezes {
				t.Errorf("%d silences, want one a freeze: with fewer this test shows nothing", s.silences)
			}
			if s.reason != "stale" || s.age < bound || s.age > 2*bound+slack {
				t.Errorf("the true wedge: %s after %v, want stale within %v", s.reason, s.age, 2*bound+slack)
			}
		})
	}
}

// slack is for who asks: on a busy machine he comes later than the verdict.
const slack = bound / 4

// TestSystemStarved gives a process with a busy collector a twentieth of a CPU,
// in one piece every second (F13, F14): loops and observer lose the same time,
// and no loop is called stale for it.
func TestSystemStarved(t *testing.T) {
	group := newCgroup(t, "cpu")
	c := startChild(t, "GOMAXPROCS=1", "GOGC=1")
	group.limitCPU(t, 50*time.Millisecond, time.Second)
	group.add(t, c.command.Process.Pid)
	time.Sleep(10 * time.Second)
	group.limitCPU(t, time.Second, time.Second)
	s := c.wedge(t)
	t.Logf("%+v", s)
	if s.wrong > 0 {
		t.Errorf("%d false wedges", s.wrong)
	}
	if s.silences < 5 {
		t.Errorf("%d silences longer than the bound: with so few this test shows nothing", s.silences)
	}
	if s.reason != "stale" || s.age > 2*bound+slack {
		t.Errorf("the true wedge: %s after %v, want stale within %v", s.reason, s.age, 2*bound+slack)
	}
}
