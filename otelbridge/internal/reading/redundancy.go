package reading

import (
	"cmp"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// Series is one series of a redundancy.Node, and what the exporter prepared for
// it. Nodes have few, so all of them are told in one way.
type Series[S any] struct {
	SeriesID
	// N is the value: a count, a state, or nanoseconds where the metric is in
	// seconds.
	N        int64
	Prepared S
}

// SeriesID is the metric with the values of its attributes, in the order of the
// metric's keys. Those that it does not have are empty.
type SeriesID struct {
	ID     catalogue.ID
	Values [2]string
}

func (s SeriesID) compare(other SeriesID) int {
	return cmp.Or(
		cmp.Compare(s.ID, other.ID),
		cmp.Compare(s.Values[0], other.Values[0]),
		cmp.Compare(s.Values[1], other.Values[1]),
	)
}

// node is a redundancy.Node with what was prepared for its series. Sites, levels
// and kinds stay; peers come and go, and then what follows them in the list is
// prepared anew.
type node[S any] struct {
	state    func() redundancy.State
	prepare  func(SeriesID) S
	prepared atomic.Pointer[[]Series[S]] // the series of the last collection that found others
}

// read appends the series of the node as it is now, by metric and then by the
// values of their attributes.
func (n *node[S]) read(all []Series[S], at time.Time) []Series[S] {
	state := n.state()
	all = appendState(all, &state, at)
	slices.SortFunc(all, func(a, b Series[S]) int { return a.compare(b.SeriesID) })
	var held []Series[S]
	if list := n.prepared.Load(); list != nil {
		held = *list
	}
	same := len(held) == len(all)
	for i := range all {
		if i < len(held) && held[i].SeriesID == all[i].SeriesID {
			all[i].Prepared = held[i].Prepared
			continue
		}
		all[i].Prepared, same = n.prepare(all[i].SeriesID), false
	}
	if !same {
		next := slices.Clone(all)
		n.prepared.Store(&next)
	}
	return all
}

// appendState appends what a state says. What is not known is not told.
func appendState[S any](all []Series[S], s *redundancy.State, at time.Time) []Series[S] {
	add := func(n int64, metric catalogue.ID, values ...string) {
		id := SeriesID{ID: metric}
		copy(id.Values[:], values)
		all = append(all, Series[S]{SeriesID: id, N: n})
	}
	if s.LevelKnown {
		add(int64(s.Level), catalogue.ServiceLevel)
	}
	for _, c := range s.LevelChanges {
		add(saturated(c.Count), catalogue.ServiceLevelChange, strconv.Itoa(int(c.Level)))
	}
	for _, c := range s.Denials {
		add(saturated(c.Count), catalogue.PrimaryGateDenied, c.Reason.String(), c.Site)
	}
	for _, r := range roles {
		holds := int64(0)
		if r == s.Role {
			holds = 1
		}
		add(holds, catalogue.RedundancyRole, r.String())
	}
	if s.SnapshotKnown {
		add(int64(s.SnapshotAge), catalogue.SnapshotAge)
	}
	for _, c := range s.Probes {
		add(saturated(c.Count), catalogue.PeerProbe, c.Outcome.String(), c.Peer)
	}
	for _, c := range s.Ignored {
		add(saturated(c.Count), catalogue.RedundancyIgnored, c.Kind.String())
	}
	add(at.UnixNano(), catalogue.RedundancyObserved)
	return all
}

// roles are the states of catalogue.RedundancyRole.
var roles = [...]redundancy.Role{redundancy.RoleUnknown, redundancy.Primary, redundancy.Secondary, redundancy.Detached}
