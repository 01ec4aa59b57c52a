// Package redundancy is what two or more warm nodes need so that clients prefer the
// right one and a standby never touches what they share. Who is in the cluster, and
// who is its active node, comes from package cluster; this package adds that all
// nodes know each other's role, a service level, and a gate for shared operations.
//
//	node, err := redundancy.New(redundancy.Config{
//		Source:   member, // who is in the cluster
//		Bus:      bus,    // natsbus, etcdbus, or one of your own
//		Role:     "driver",
//		Database: db.PingContext,
//	})
//	...
//	go node.Run(ctx)
//
//	mux.Handle("GET /service-level", node)
//	mux.Handle("POST /write", tiers.RequireActive(node.Site(redundancy.SiteWrite), write))
//
// # Parts
//
// The active node of the whole cluster builds snapshots of everybody's role and
// repeats them over the Bus. Each Node keeps the newest one, the newest answer of the
// shared database, and what peers found who tried its endpoint, each with the moment
// in which it came in.
//
// From these LevelPolicy.Level computes the service level, which is pure: when
// somebody asks, over HTTP, from HAProxy's agent check, as a check or as a metric, and
// on each change for a Publisher, such as an OPC UA server.
//
// A Site is the primary gate at one kind of operation.
//
// # Guarantees
//
//  1. A Site serves only on a node that the newest snapshot calls the primary and that
//     is the active one in its own view, at this moment; or that is alone. So it never
//     serves where the gate of the cluster would not.
//  2. Whatever is missing, old or broken makes a node deny, and lowers its level; only
//     a missing probe result has the benefit of the doubt. No node shows 255.
//  3. Each change of the level is published once, the first level included. After Run
//     has ended the level is that of Down.
//  4. What a bus loses, repeats, reorders or makes up does no harm: snapshots have a
//     version, and a builder that this node's own view does not know is not believed.
//  5. No clock of another node is compared with one of this node.
//  6. All exported functions and methods may be called by any goroutine. Code of the
//     user's that blocks costs one goroutine, and code that panics is counted.
//
// # What it does not do
//
// It swaps no roles, queues no operation and speaks no OPC UA. Work that was frozen
// behind a Site is stopped by a device that compares tokens; see cluster.Token.
package redundancy
