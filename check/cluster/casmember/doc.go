// Package casmember keeps the membership of a cluster in any store that can
// compare and set, so that one node at most takes itself for the active one.
// Stores are nested modules, such as check/cluster/etcd and check/cluster/natskv;
// this package knows a store as a KV only.
//
// # Usage
//
//	node, err := casmember.New(kv, casmember.Config{Address: "10.0.0.1:4053"})
//	if err != nil {
//		return err
//	}
//	go func() { stopped <- node.Run(ctx) }() // its error says when the address is taken
//	gate, err := cluster.NewGate(node)
//	…
//	err = node.Leave(shutdown) // before the process ends
//
// A Node is a cluster.Source and a cluster.Tracker. A process that wants to be
// a member again after Leave, or after Run has ended, makes a new Node.
//
// # How it works
//
// Every node has one record, under a key that is new for every life of the node.
// It creates the record as Joining, makes it Up once, and from then on writes it
// again every third of its TTL. The revision of the write that made it Up, which
// the engine counts up for all writes of all nodes, is the member's age and its
// fencing token. Every node watches all records. The oldest record that is Up
// belongs to the active node. A record that nobody has written for a TTL is
// deleted by the others. No clock is ever compared with one of another machine.
//
// T is the TTL, m the Margin.
//
//   - F1, age: it comes from the engine, a record becomes Up once, and a key
//     is created once. So no older member can appear behind a younger one's back,
//     and a view that is behind can delay an activation and not cause one.
//   - F1b: a node is in its own view only because the watch has shown it there,
//     behind all who were Up before it.
//   - F3, fence: a write that was acknowledged is good until its sending plus
//     T − m, on the clock of its sender, and nothing else moves that moment.
//   - F4, doubt: a write whose outcome is not known is followed by a read. A
//     record that is gone is never made again: the node begins a new life, as the
//     youngest.
//   - F5, eviction: a node deletes the record of another that has had one revision
//     for T, by this node's clock, and only if it still has it. T counts from when
//     this node first knew of the revision, and anew from when it was itself
//     confirmed again, so that an engine that was away costs nobody its place.
//   - F6, hold: an Up record that goes without having said goodbye, and that this
//     node did not evict, bars all younger ones until its owner must have stopped.
//   - F7, leave: a node stops acting, waits for its work, and tells the others only
//     then.
//   - Witness: a node makes itself Up after it has watched for T without a gap.
//
// # Why no two act at once
//
// Let X act, and Y, younger, act too. Y's view has Y in it, so by F1 and F1b it
// is a state of the engine in which X, if it is not there as Up, was Up before.
// Either X's record was changed or deleted before that state, or Y never saw it.
//
//   - X wrote that it leaves. By F7 it had stopped before it sent that.
//   - Y evicted X, at X's revision r. Y first knew of r after it was written, and
//     so after it was sent, and T later it sent the deletion. That took place, so r
//     was X's last write, and X's fence was the sending of r plus T − m. With two
//     clocks whose rates are wrong by ρ each, that is earlier if m > 2ρT: 15 ms at
//     T = 15 s and the 500 ppm of a clock that is being corrected.
//   - Somebody else deleted X's record, a peer or an operator. Y knew of X's last
//     write, from a watch that leaves nothing out, after it was sent, and waits
//     until T after that: after a peer's eviction, which took place no earlier by
//     the peer's own count, hardly at all. Where Y cannot know which write was the
//     last, since it learns of the deletion from a new list, or from the engine's
//     answer before the watch has shown it, it waits for T from that moment.
//   - Y never saw X, neither in a list nor in the watch. Then X was removed before
//     the last list that Y took before it was Up. Y was not Up before that list
//     plus T, and X's last write was sent before the list.
//
// Everything else may happen: requests and answers that are lost, late or done
// without an answer, watches that break, lag, stop without a word or begin
// again in an old state, processes that freeze between any two instructions,
// calendars that jump. It is tried on random schedules of all that, with every
// claim of every node compared in true time; a broken rule is seen in them.
//
// # What it rests on
//
//  1. The engine's writes are linearizable, its revisions only grow, and ErrGone
//     is never said of a record that is there. See KV.
//  2. A watch leaves nothing out between its lists.
//  3. Clocks run at rates that are wrong by less than m/2T, and go on while the
//     host sleeps (cluster.BootClock). A virtual machine that is stopped and whose
//     clock stops with it is outside of this, and so is work that was frozen
//     between the look at its deadline and its effect: there the resource must
//     refuse old tokens (F9).
//  4. Nodes have the same TTL, or no operator deletes the record of a live node
//     just before another with a shorter TTL joins: a newcomer waits for its own
//     TTL, and cannot know that of a record it never saw.
//
// # How long things take
//
// A node that dies is followed within T after its last heartbeat, plus the way of
// two messages. A node that leaves is followed as soon as the others hear of it.
// After an engine that was away for longer than T the same node goes on, and
// members that died meanwhile are evicted T later. A new cluster has its first
// active node after T: nobody knows who was there before, and the oldest of the
// newcomers takes no longer than a failover does. A node that joins others is Up
// after T, too; do not let the others leave before.
//
// An owner survives a stall of T − m − T/3 without losing its role. Every call of
// the engine has T/3.
//
// # What others see
//
// A member that is silent for 2/3 of its TTL is not Reachable, and still counts.
// One that is gone and bars others is Removed, with HoldUntil, until then. A
// record that cannot be read is left alone. Two live nodes at one address cannot
// be told apart by people: the younger one leaves, and its Run returns an error.
//
// # Concurrency
//
//  1. View, Now, Changed and Track read memory, whatever the engine does.
//  2. There is one call of the engine in flight for the own record, one for
//     evictions, and one watch. All three belong to Run.
//  3. A driver that panics has an unknown outcome. One that does not return when
//     its context ends keeps its node from heartbeats, so the claim runs out.
//  4. Events of the watch are taken one after the other; a new list replaces the
//     view when it is complete.
package casmember
