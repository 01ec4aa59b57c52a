//go:build linux

package main

import (
	"context"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/engine"
)

const (
	ttl       = 3 * time.Second
	heartbeat = ttl / 3
	// limit is the longest failover: the TTL, and what a slow machine may add.
	limit = ttl + 1500*time.Millisecond
	// leaveLimit is the longest hand-over of a node that leaves, but for one in
	// twenty.
	leaveLimit = 500 * time.Millisecond
)

// The verbs of nodes.
const (
	nodeVerb    = "node"
	sessionVerb = "session"
)

// cast is who is on a stage.
type cast struct {
	verb     string // what the nodes do
	trusting bool   // the device accepts every token
	cabled   bool   // the nodes have network namespaces of their own
}

// fault is something that is done to the active node or to the engine, again and
// again, and what must come of it.
type fault struct {
	name string
	cast cast
	play func(context.Context, *stage, *round) error

	// only is the engine that it is for, or "" for both.
	only engine.Kind
	// members is how many nodes must be members before and after. The third may
	// still be on its way back: a fault that is done often does not wait.
	members int
	// atLeast is the least number of rounds, for a figure that needs more.
	atLeast int
	// most and most95 are the longest failover, and the longest but for one in
	// twenty; 0 is no limit.
	most, most95 time.Duration
	// lapse takes for the failover how long nobody was active, since there is
	// no other node that must take over.
	lapse bool
	// least is the shortest lapse that there must be, where all have to stop.
	least time.Duration
	// arrives says that each round makes a stale write, so that it is seen to
	// be refused.
	arrives bool
	// orderly says that no stale write comes at all, since what was begun is
	// waited for.
	orderly bool
	// control says that two nodes are active at once, for the harness to see.
	// Chance may spare the first rounds; then there are up to so many.
	control int
}

func faults() []fault {
	node := cast{verb: nodeVerb}
	return []fault{
		{name: "kill -9", cast: node, play: playKill, members: 3, most: limit},
		{name: "kill -9, back at once", cast: node, play: playRestart, members: 3, most: limit},
		{name: "stopped past the TTL", cast: node, play: playStop, members: 3, most: limit},
		{name: "work frozen on its way", cast: node, play: playFreeze, members: 3, most: limit, arrives: true},
		{name: "cut off by a proxy", cast: node, play: playCut, members: 3, most: limit},
		// What the node sends still arrives until it notices, so it is taken
		// for alive up to a heartbeat longer.
		{name: "answers lost by a proxy", cast: node, play: playDeaf, members: 3, most: limit + heartbeat},
		{name: "cut off, record deleted", cast: node, play: playDelete, members: 3, most: limit},
		{name: "graceful leave", cast: node, play: playLeave, members: 2, atLeast: 20, most95: leaveLimit, orderly: true},
		{name: "engine killed, back", cast: node, play: playEngineShort, members: 3, lapse: true},
		{name: "engine down past the TTL", cast: node, play: playEngineLong, members: 3, lapse: true, least: time.Second},
		{name: "cable pulled", cast: cast{verb: nodeVerb, cabled: true}, play: playCable, members: 3, most: limit},
		{
			name: "CONTROL: Session.Done", cast: cast{verb: sessionVerb, trusting: true}, play: playCut,
			members: 3, only: engine.Etcd, control: 12,
		},
	}
}
