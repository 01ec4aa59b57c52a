//go:build linux

package bench

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"
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

func TestTeamsShowContention(t *testing.T) {
	near := Team{{Burst: storeTo(0)}, {Burst: storeTo(1)}}
	far := Team{{Burst: storeTo(0)}, {Burst: storeTo(32)}}
	got, err := CompareTeams(quick, near, far, func(near, far []float64) float64 { return sum(near) / sum(far) })
	if err != nil {
		t.Fatal(err)
	}
	if got.Value < 1.5 {
		t.Errorf("two writers on one cache line cost %v of two far apart, want well over 1.5", got)
	}
}

func TestTeamsMeasureBesideABackgroundMember(t *testing.T) {
	var passes atomic.Int64
	scan := func(n int) {
		for range n {
			passes.Add(1)
			turns(500)(1)
		}
	}
	own := storeTo(48)
	got, err := CompareTeams(quick, Team{{Burst: own}, {Burst: scan, Background: true}}, Team{{Burst: own}},
		func(beside, alone []float64) float64 {
			if beside[1] != 0 {
				t.Errorf("background member measured: %v", beside)
			}
			return beside[0] / alone[0]
		})
	if err != nil {
		t.Fatal(err)
	}
	if got.Value < 0.7 || got.Value > 1.4 {
		t.Errorf("a member beside an unrelated one costs %v, want about 1", got)
	}
	if passes.Load() < int64(quick.Rounds) {
		t.Errorf("background member ran %d times in %d rounds", passes.Load(), quick.Rounds)
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
