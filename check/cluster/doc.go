// Package cluster tells which node of a cluster is the active one, and whether a
// node is a member in good standing. It is rules only: who the members are comes
// from a Source.
//
//	gate, err := cluster.NewGate(src)
//	...
//	err = errors.Join(
//		health.AddReady("membership", cluster.Membership(src, cluster.DefaultPolicy())),
//		health.AddActive("active-node", cluster.Active(src, cluster.ActivePolicy{})),
//	)
//	mux.Handle("/orders", tiers.RequireActive(gate, orders))
//
// # The rule
//
// The active node is the oldest member that is Up, optionally within a role. Age is
// a number that the engine counts up, and not an address, a clock or a leader's
// office: a node that restarts is the youngest and does not take the role back.
// Decide is that rule, pure, and the only one; Gate, Active and everybody else ask
// it.
//
// # Guarantees
//
//  1. In one view at most one node is active. That two nodes do not act on two
//     views is the work of the Source: see View.ValidUntil and Member.HoldUntil.
//  2. Gate and Active give the same answer about the same view. They differ on
//     purpose while the cluster is starting: the gate is closed and the check
//     Degraded, which is a 200.
//  3. Whatever does not answer is not active: a nil or zero Gate, a source that is
//     nil, has no view, panics or has not been confirmed in time.
//  4. Work that Gate.Acquire or Gate.Enter let in was counted before it was decided
//     on, so a node that leaves has either refused it or waits for it.
//  5. All exported functions and methods may be called by any goroutine. None
//     blocks longer than its Source does.
//
// # What it does not do
//
// A gate cannot reach work that was frozen between its check and its effect. The
// resource can: see Token. And no rule makes a pair of nodes that only have each
// other both safe and available; see KeepOldest, and use an engine with a third
// vote.
//
// # Sources
//
// Standalone is for a node that works alone. Package casmember is membership over
// any engine that can compare and set, and packages etcd and natskv are its drivers.
// Package clustertest has a source for tests.
package cluster
