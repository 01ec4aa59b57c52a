//go:build linux

package bench

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// lines is memory for two writers, on one cache line and far apart.
var lines [64]atomic.Int64

func storeTo(i int) Burst {
	return func(n int) {
		for k := range n {
			lines[i].Add(int64(k))
		}
	}
}

func sum(perOp []float64) (total float64) {
	for _, v := range perOp {
		total += v
	}
	return total
}

// Two writers on one cache line must look dearer than the gate on neighbours
// (P11) lets them be, or that gate could never fail.
func TestTeamsShowContention(t *testing.T) {
	const most = 1.15
	near := Team{{Burst: storeTo(0)}, {Burst: storeTo(1)}}
	far := Team{{Burst: storeTo(0)}, {Burst: storeTo(32)}}
	patiently(t, func() error {
		got, err := CompareTeams(quick, near, far, func(near, far []float64) float64 { return sum(near) / sum(far) })
		if err == nil && got.Value <= most {
			err = fmt.Errorf("two writers on one cache line cost %v of two far apart, want more than %v", got, most)
		}
		return err
	})
}

// An unrelated member is not measured and does not enter the ratio. It may slow
// the other down, where two CPUs share a core; its own operations take a hundred
// times as long.
func TestTeamsMeasureBesideABackgroundMember(t *testing.T) {
	const passesPerRound = 10 // Each also makes one before it begins.
	own := storeTo(48)
	patiently(t, func() error {
		var passes atomic.Int64
		scan := func(n int) {
			for range n {
				passes.Add(1)
				turns(500)(1)
			}
		}
		got, err := CompareTeams(quick, Team{{Burst: own}, {Burst: scan, Background: true}}, Team{{Burst: own}},
			func(beside, alone []float64) float64 {
				if beside[1] != 0 {
					t.Errorf("background member measured: %v", beside)
				}
				return beside[0] / alone[0]
			})
		switch {
		case err != nil:
			return err
		case got.Value < 0.4 || got.Value > 2.5:
			return fmt.Errorf("a member beside an unrelated one costs %v, want about 1", got)
		case passes.Load() < int64(passesPerRound*quick.Rounds):
			return fmt.Errorf("background member ran %d times in %d rounds", passes.Load(), quick.Rounds)
		}
		return nil
	})
}

// Every member waits in its burst until all the others are in theirs. Members
// that took turns would wait for each other until the deadline.
func TestCrewRunsMembersAtTheSameTime(t *testing.T) {
	const members, bursts = 2, 2 // One burst warms up.
	c, err := newCrew(members)
	if err != nil {
		t.Fatal(err)
	}
	defer c.dismiss()
	deadline := time.Now().Add(30 * time.Second)
	var arrived [bursts]atomic.Int64
	meet := func() Member {
		burst := 0
		return Member{Burst: func(int) {
			arrived[burst].Add(1)
			for arrived[burst].Load() < members && time.Now().Before(deadline) {
				runtime.Gosched()
			}
			burst++
		}}
	}
	c.run(Team{meet(), meet()}, []int{1, 1})
	if time.Now().After(deadline) {
		t.Error("members never were in their bursts together")
	}
}

func TestCrewPinsEachMemberToACPUOfItsOwn(t *testing.T) {
	c, err := newCrew(2)
	if err != nil {
		t.Fatal(err)
	}
	defer c.dismiss()
	var sets [2]unix.CPUSet
	where := func(i int) Member {
		return Member{Burst: func(int) {
			if err := unix.SchedGetaffinity(0, &sets[i]); err != nil {
				t.Error(err)
			}
		}}
	}
	c.run(Team{where(0), where(1)}, []int{1, 1})
	if sets[0].Count() != 1 || sets[1].Count() != 1 || sets[0] == sets[1] {
		t.Errorf("members may run on the CPUs %x and %x, want one each", sets[0], sets[1])
	}
}

func TestTeamsRefuseTooFewCPUs(t *testing.T) {
	_, err := CompareTeams(quick, make(Team, 1<<12), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "needs 4096") {
		t.Errorf("error %v, want one that names the CPUs needed", err)
	}
}

func TestSideBySide(t *testing.T) {
	zero := time.Now()
	ran := func(start, end, cpu time.Duration) timing {
		return timing{cpu: cpu, start: zero.Add(start), end: zero.Add(end)}
	}
	for _, tt := range []struct {
		name    string
		timings []timing
		want    bool
	}{
		{"one member, undisturbed", []timing{ran(0, 100, 100)}, true},
		{"one member, lost its CPU", []timing{ran(0, 100, 74)}, false},
		{"together", []timing{ran(0, 100, 100), ran(2, 101, 99)}, true},
		{"one after the other", []timing{ran(0, 100, 100), ran(100, 200, 100)}, false},
		{"apart", []timing{ran(0, 100, 100), ran(150, 200, 50)}, false},
		{"overlap at the bound", []timing{ran(0, 75, 75), ran(0, 100, 100)}, true},
		{"overlap below the bound", []timing{ran(0, 74, 74), ran(0, 100, 100)}, false},
		{"together, one lost its CPU", []timing{ran(0, 100, 100), ran(0, 100, 50)}, false},
	} {
		if got := sideBySide(tt.timings); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
