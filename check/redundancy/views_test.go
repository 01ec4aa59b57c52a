package redundancy

import (
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// The nodes of a cluster; A has the lowest address.
const (
	nodeA = "10.0.0.1:4053"
	nodeB = "10.0.0.2:4053"
	nodeC = "10.0.0.3:4053"
	nodeD = "10.0.0.4:4053"
)

// driver is the role in which one node is the primary.
const driver = "driver"

// viewNow is the time in views that are made by hand; their fence is one second
// later.
const viewNow = cluster.Instant(time.Hour)

// keyOf is the first life at an address.
func keyOf(address string) cluster.Key { return cluster.Key{Address: address, Incarnation: "1"} }

func memberOf(address string, status cluster.Status, age uint64, roles ...string) cluster.Member {
	return cluster.Member{Key: keyOf(address), Status: status, Age: age, Roles: roles, Reachable: true}
}

// upDriver is an Up member with the role.
func upDriver(address string, age uint64) cluster.Member {
	return memberOf(address, cluster.Up, age, driver)
}

// viewOf is a view that is valid at viewNow.
func viewOf(self string, members ...cluster.Member) *cluster.View {
	return &cluster.View{
		State: cluster.Available, Self: keyOf(self), Members: members, Revision: 100,
		ConfirmedAt: viewNow, ValidUntil: viewNow.Add(time.Second),
	}
}

// told is a snapshot that gives each node its role.
func told(roles map[string]Role) *snapshot {
	s := &snapshot{Token: 1, Sequence: 1, Revision: 100, Builder: nodeA}
	for _, node := range []string{nodeA, nodeB, nodeC, nodeD} {
		if r, mentioned := roles[node]; mentioned {
			s.Nodes = append(s.Nodes, nodeRole{node, r})
		}
	}
	return s
}
