package reading

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// prepared is what a test makes for a series, once.
type prepared struct{ SeriesID }

// nodeOf is a node that says what a test wants.
func nodeOf(s *redundancy.State) *node[*prepared] {
	return &node[*prepared]{
		state:   func() redundancy.State { return *s },
		prepare: func(id SeriesID) *prepared { return &prepared{id} },
	}
}

func probes(peers ...string) (all []redundancy.ProbeCount) {
	for _, p := range peers {
		for _, o := range []redundancy.ProbeOutcome{redundancy.ProbeOK, redundancy.ProbeFailed, redundancy.ProbeTimeout} {
			all = append(all, redundancy.ProbeCount{Peer: p, Outcome: o})
		}
	}
	return all
}

// TestNodeIsTold takes every field of a state to its series: what is not known
// has none, counts do not wrap, and they come in the order of their words.
func TestNodeIsTold(t *testing.T) {
	at := time.Unix(12, 5)
	state := redundancy.State{
		Level: 240, LevelKnown: true,
		LevelChanges: []redundancy.LevelCount{{Level: 9, Count: 1}, {Level: 100, Count: math.MaxUint64}},
		Role:         redundancy.Secondary,
		SnapshotAge:  3, SnapshotKnown: true,
		Denials: []redundancy.DenialCount{
			{Site: "write", Reason: redundancy.DeniedSecondary, Count: 2},
			{Site: "ack", Reason: redundancy.DeniedSecondary, Count: 1 << 63},
			{Site: "write", Reason: redundancy.DeniedDetached},
		},
		Probes:  []redundancy.ProbeCount{{Peer: "b:1", Outcome: redundancy.ProbeTimeout, Count: 7}, {Peer: "b:1", Outcome: redundancy.ProbeFailed}},
		Ignored: []redundancy.IgnoredCount{{Kind: redundancy.IgnoredOld, Count: 5}},
	}
	type told struct {
		id     catalogue.ID
		values [2]string
		n      int64
	}
	want := []told{
		{catalogue.ServiceLevel, [2]string{}, 240},
		{catalogue.ServiceLevelChange, [2]string{"100"}, math.MaxInt64},
		{catalogue.ServiceLevelChange, [2]string{"9"}, 1},
		{catalogue.PrimaryGateDenied, [2]string{"detached", "write"}, 0},
		{catalogue.PrimaryGateDenied, [2]string{"secondary", "ack"}, math.MaxInt64},
		{catalogue.PrimaryGateDenied, [2]string{"secondary", "write"}, 2},
		{catalogue.RedundancyRole, [2]string{"detached"}, 0},
		{catalogue.RedundancyRole, [2]string{"primary"}, 0},
		{catalogue.RedundancyRole, [2]string{"secondary"}, 1},
		{catalogue.RedundancyRole, [2]string{"unknown"}, 0},
		{catalogue.SnapshotAge, [2]string{}, 3},
		{catalogue.PeerProbe, [2]string{"failed", "b:1"}, 0},
		{catalogue.PeerProbe, [2]string{"timeout", "b:1"}, 7},
		{catalogue.RedundancyIgnored, [2]string{"old"}, 5},
		{catalogue.RedundancyObserved, [2]string{}, 12_000_000_005},
	}
	tell := func() (all []told) {
		for _, s := range nodeOf(&state).read(nil, at) {
			all = append(all, told{s.ID, s.Values, s.N})
		}
		return all
	}
	if got := tell(); !slices.Equal(got, want) {
		t.Errorf("told\n%v, want\n%v", got, want)
	}
	state.LevelKnown, state.SnapshotKnown, state.Role = false, false, redundancy.Role(99)
	for _, s := range tell() {
		if s.id == catalogue.ServiceLevel || s.id == catalogue.SnapshotAge || s.id == catalogue.RedundancyRole && s.n != 0 {
			t.Errorf("told of what is not known: %v", s)
		}
	}
}

// TestSeriesArePreparedOnce: what stays keeps what was made for it, what comes
// gets its own, and nothing of those that left is kept (CASE-115).
func TestSeriesArePreparedOnce(t *testing.T) {
	state := redundancy.State{}
	n := nodeOf(&state)
	made := 0
	prepare := n.prepare
	n.prepare = func(id SeriesID) *prepared { made++; return prepare(id) }
	for i, c := range []struct {
		peers []string
		made  int // at most: what follows a change in the list is made again
	}{
		{nil, 5}, // the roles, and the time of the reading
		{nil, 0},
		{[]string{"b:1", "c:1"}, 7},
		{[]string{"b:1", "c:1"}, 0},
		{[]string{"c:1"}, 7},
		{[]string{"c:1"}, 0},
		{nil, 4},
	} {
		state.Probes, made = probes(c.peers...), 0
		all := n.read(nil, time.Unix(0, 0))
		if made > c.made {
			t.Errorf("%d: %d prepared, want %d at most", i, made, c.made)
		}
		for _, s := range all {
			if s.Prepared.SeriesID != s.SeriesID {
				t.Errorf("%d: %v has what was prepared for %v", i, s.SeriesID, s.Prepared.SeriesID)
			}
		}
		if held := *n.prepared.Load(); len(held) != len(all) {
			t.Errorf("%d: %d series are kept of %d", i, len(held), len(all))
		}
	}
}
