package cluster_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// TestSchedulesOfViews plays a hundred thousand lives of a cluster, with members
// that come, go, restart at their old addresses and flap, and with clocks that lie.
// In each view at most one node is active, and only the end of the active member, or
// a hold in front of it, moves the role (F53, S1.29).
func TestSchedulesOfViews(t *testing.T) {
	schedules, steps := 100_000, 30
	if raceEnabled {
		schedules /= 20
	}
	moved, notLeader := 0, 0
	for seed := range uint64(schedules) {
		w := world{rand: rand.New(rand.NewPCG(seed, 53))}
		active := cluster.Key{}
		for range steps {
			ends := w.step()
			next := w.active(t, seed)
			if active != (cluster.Key{}) && next != active {
				if moved++; !slices.Contains(ends, active) {
					t.Fatalf("seed %d: the role moved from %v to %v, and only %v ended", seed, active, next, ends)
				}
			}
			if active = next; active != (cluster.Key{}) && active != w.leader() {
				notLeader++
			}
		}
	}
	// Else the schedules would show nothing.
	if moved < schedules || notLeader < schedules/4 {
		t.Errorf("the role moved %d times, and was %d times not with the lowest address", moved, notLeader)
	}
}

// world is what all members of one cluster see.
type world struct {
	rand    *rand.Rand
	members []cluster.Member
	lives   int
	age     uint64
}

// step changes one thing, and returns the members that it ended or barred.
func (w *world) step() (ends []cluster.Key) {
	kind := w.rand.IntN(8)
	if kind < 2 || len(w.members) == 0 {
		return w.join()
	}
	m := &w.members[w.rand.IntN(len(w.members))]
	switch kind {
	case 2, 3:
		if m.Status == cluster.Joining {
			w.age++
			m.Status, m.Age = cluster.Up, w.age
		}
	case 4:
		m.Reachable = !m.Reachable
	case 5:
		m.Seen = cluster.Instant(w.rand.Int64())
	case 6: // leaves, dies or is thrown out
		if m.Status < cluster.Leaving {
			ends = append(ends, m.Key)
			m.Status = cluster.Leaving + cluster.Status(w.rand.IntN(4))
		}
	case 7: // an operator deletes its record
		for _, other := range w.members {
			ends = append(ends, other.Key) // the younger are barred
		}
		m.Status, m.HoldUntil = cluster.Removed, now+1
	}
	return ends
}

// join adds a new life at one of three addresses. The one that was there ends.
func (w *world) join() (ends []cluster.Key) {
	w.lives++
	k := cluster.Key{Address: []string{a, b, c}[w.rand.IntN(3)], Incarnation: strconv.Itoa(w.lives)}
	w.members = slices.DeleteFunc(w.members, func(m cluster.Member) bool {
		gone := m.Address == k.Address
		if gone {
			ends = append(ends, m.Key)
		}
		return gone
	})
	at := w.rand.IntN(len(w.members) + 1)
	w.members = slices.Insert(w.members, at, cluster.Member{Key: k, Status: cluster.Joining, Reachable: true})
	return ends
}

// active returns the one active node, or none.
func (w *world) active(t *testing.T, seed uint64) (one cluster.Key) {
	v := cluster.View{State: cluster.Available, Members: w.members, ValidUntil: now + 1}
	for _, m := range w.members {
		v.Self = m.Key
		if !cluster.Decide(&v, now).Active {
			continue
		}
		if one != (cluster.Key{}) {
			t.Fatalf("seed %d: %v and %v are active", seed, one, m.Key)
		}
		one = m.Key
	}
	return one
}

// leader is the Up member with the lowest address.
func (w *world) leader() (lowest cluster.Key) {
	for _, m := range w.members {
		if m.Status == cluster.Up && (lowest == (cluster.Key{}) || m.Address < lowest.Address) {
			lowest = m.Key
		}
	}
	return lowest
}
