package clustertest

import (
	"slices"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// Join adds a member that is Joining: a new life, also at an address that has
// been there before. What is left of the old one is dropped.
func (s *Script) Join(address string, roles ...string) {
	s.edit(func(v *cluster.View) {
		key := cluster.Key{Address: address, Incarnation: s.nextIncarnation()}
		v.Members = slices.DeleteFunc(v.Members, func(m cluster.Member) bool {
			return m.Address == address && m.Status != cluster.Removed
		})
		v.Members = append(v.Members, cluster.Member{
			Key: key, Status: cluster.Joining, Roles: slices.Clone(roles), Reachable: true, Seen: s.now(),
		})
		if address == v.Self.Address {
			v.Self = key
		}
	})
}

// Up makes a member Up, as the youngest.
func (s *Script) Up(address string) {
	s.edit(func(v *cluster.View) {
		s.age++
		m := &v.Members[at(v, address)]
		m.Status, m.Age, m.Seen = cluster.Up, s.age, s.now()
	})
}

// SetStatus moves a member on, such as to Leaving, Exiting or Down.
func (s *Script) SetStatus(address string, status cluster.Status) {
	s.edit(func(v *cluster.View) { v.Members[at(v, address)].Status = status })
}

// SetReachable says whether the node hears of a member.
func (s *Script) SetReachable(address string, reachable bool) {
	s.edit(func(v *cluster.View) { v.Members[at(v, address)].Reachable = reachable })
}

// Remove takes a member away: it has left, or was silent for long enough.
func (s *Script) Remove(address string) {
	s.edit(func(v *cluster.View) {
		i := at(v, address)
		v.Members = slices.Delete(v.Members, i, i+1)
	})
}

// Hold takes a member away before its time, as an operator does who deletes its
// record: for as long as d it still bars those who are younger.
func (s *Script) Hold(address string, d time.Duration) {
	s.edit(func(v *cluster.View) {
		m := &v.Members[at(v, address)]
		m.Status, m.HoldUntil = cluster.Removed, s.now().Add(d)
	})
}
