package redundancy

import (
	"context"
	"strconv"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/cluster"
)

// Instant marks a Node as a check that reads memory.
func (n *Node) Instant() {}

// Check makes a Node an entry of the ready tier: Healthy at the levels of Follower
// and Active, Degraded at those of Stale and Critical, and Unhealthy at that of Down.
// While the cluster is starting down is Degraded, so that a booting node is no failed
// one (X2); once it was available, to lose it is Unhealthy.
//
// The description is such as "primary, service level 250". The data are serviceLevel;
// role; members, the number of those that are Up and hold the role; and, where they
// are known, primary, the address of the primary, and snapshotAgeMs.
//
// A follower is in health, so both nodes of a pair are ready. What sends work to the
// primary alone asks the active tier, with cluster.Active.
func (n *Node) Check(context.Context) check.Result {
	p := n.picture()
	text := p.role().String()
	if p.role() == RoleUnknown {
		text = "role unknown"
	}
	return check.Result{
		Status:      n.health(&p),
		Description: text + ", service level " + strconv.Itoa(p.level()),
		Data:        p.data(),
	}
}

// health is the status at a level. It remembers for good that the cluster was
// available.
func (n *Node) health(p *picture) check.Status {
	awaited := n != nil && p.starting() && !n.available.Load()
	if n != nil && !p.starting() {
		n.available.Store(true)
	}
	switch {
	case p.tier >= tierFollower:
		return check.Healthy
	case p.tier > tierDown, awaited:
		return check.Degraded
	default:
		return check.Unhealthy
	}
}

// data is the entry's: what is not known is left out.
func (p *picture) data() map[string]any {
	data := map[string]any{
		"serviceLevel": p.level(),
		"role":         p.role().String(),
		"members":      p.standing.upInRole(),
	}
	if address, known := p.standing.primary(); known {
		data["primary"] = address
	}
	if p.inputs.Snapshot && p.standing.own.Reason != cluster.ReasonNotClustered {
		data["snapshotAgeMs"] = p.inputs.SnapshotAge.Milliseconds()
	}
	return data
}
