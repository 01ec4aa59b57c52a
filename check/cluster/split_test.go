package cluster_test

import (
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// TestKeepOldest is the rule as a table (S4.35).
func TestKeepOldest(t *testing.T) {
	const (
		self   = cluster.DownSelf
		others = cluster.DownOthers
	)
	for _, row := range []struct {
		name               string
		oldestHere         bool
		here, there        int
		downIfAlone, never cluster.SplitDecision
	}{
		{"a pair, with the oldest", true, 1, 1, others, others},
		{"the oldest alone against two", true, 1, 2, self, others},
		{"the oldest alone against many", true, 1, 9, self, others},
		{"the oldest and one more", true, 2, 1, others, others},
		{"the oldest in a minority of two", true, 2, 3, others, others},
		{"a pair, without the oldest: the survivor of its crash", false, 1, 1, self, self},
		{"two against the oldest alone", false, 2, 1, others, self},
		{"many against the oldest alone", false, 9, 1, others, self},
		{"one against two", false, 1, 2, self, self},
		{"two against two", false, 2, 2, self, self},
		{"a majority without the oldest", false, 9, 2, self, self},
		{"no split", true, 3, 0, others, others},

		{"nobody here", true, 0, 1, self, self},
		{"fewer than nobody here", true, -1, 1, self, self},
		{"fewer than nobody there", true, 1, -1, self, self},
		{"the oldest is nowhere", false, 3, 0, self, self},
	} {
		t.Run(row.name, func(t *testing.T) {
			v := cluster.SplitView{OldestHere: row.oldestHere, Here: row.here, There: row.there}
			if got := cluster.KeepOldest(v, true); got != row.downIfAlone {
				t.Errorf("down if alone: %v, want %v", got, row.downIfAlone)
			}
			if got := cluster.KeepOldest(v, false); got != row.never {
				t.Errorf("otherwise: %v, want %v", got, row.never)
			}
		})
	}
	if got := cluster.KeepOldest(cluster.SplitView{}, true); got != self {
		t.Errorf("zero: %v", got)
	}
}

// TestKeepOldestLeavesOneSide: when both sides see the same split, exactly one goes
// on.
func TestKeepOldestLeavesOneSide(t *testing.T) {
	for here := 1; here < 10; here++ {
		for there := 1; there < 10; there++ {
			for _, downIfAlone := range []bool{true, false} {
				with := cluster.KeepOldest(cluster.SplitView{OldestHere: true, Here: here, There: there}, downIfAlone)
				without := cluster.KeepOldest(cluster.SplitView{Here: there, There: here}, downIfAlone)
				if with == without {
					t.Errorf("%d with the oldest, %d without, down if alone %v: both %v", here, there, downIfAlone, with)
				}
			}
		}
	}
}

func TestSplitConstants(t *testing.T) {
	if cluster.StableAfter != 15*time.Second || cluster.FailureDetectorThreshold != 10.0 {
		t.Errorf("stable after %v, threshold %v", cluster.StableAfter, cluster.FailureDetectorThreshold)
	}
}
