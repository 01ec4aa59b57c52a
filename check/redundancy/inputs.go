package redundancy

import (
	"github.com/loopvitals/loopvitals/check/cluster"
)

// inputs gathers what the service level is computed from, as it is now. Before Run
// has begun, after it has ended, and when the clock fails, they are the zero Inputs,
// which are down.
func (n *Node) inputs() Inputs {
	if n == nil || !n.levels.running() {
		return Inputs{}
	}
	now, ok := n.now()
	if !ok {
		return Inputs{}
	}
	st := n.gate.look()
	in := Inputs{Role: st.told, Active: st.own.Active}
	in.Database, in.DatabaseAge, _ = n.database.last(now)
	if st.own.Reason == cluster.ReasonNotClustered {
		in.Status, in.HasRole, in.Role, in.Snapshot = cluster.Up, true, Primary, true
		return in
	}
	self := sight{now: st.now, view: st.view}.self()
	in.Status, in.HasRole = self.Status, self.HasRole(n.config.Role)
	if _, received, known := n.inbox.newest(); known {
		in.Snapshot, in.SnapshotAge = true, max(0, now.Sub(received))
	}
	in.Endpoint = n.witnesses.reach(now)
	return in
}
