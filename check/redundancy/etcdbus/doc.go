// Package etcdbus carries the messages of warm nodes over etcd: a redundancy.Bus.
// It is a module of its own, so that only those who use etcd require its client.
//
// # Usage
//
// Make a client, a Bus over it, and a redundancy.Node over that; see the example of
// New.
//
// The client is the application's, and may be the one that the cluster's KV works
// on: the Bus neither closes nor changes it. Without its two DialKeepAlive settings
// a connection that has gone silent is kept for as long as the kernel retransmits,
// which can be a quarter of an hour; with them a node that was cut off is back soon
// after the cut. gRPC takes no less than 10 s.
//
// # What it relies on
//
// A message is written to prefix/topic/publisher, where the publisher is a name that
// each Bus draws for itself, and subscribers watch what is below the prefix. So each
// publisher keeps one record for each topic. The records hang on leases, and are
// gone a minute after the publisher. Nobody reads them: who subscribes is told what
// is written from then on.
//
// A subscriber that was cut off is told what it has missed when it is back, as far
// as its letterbox holds that, and goes on from now where that was compacted. While
// the servers have no leader, Subscribe returns with an error.
//
// Each message is a revision in the store's history, which the operator's compaction
// bounds, as for all that is written to etcd. With authentication on, the user needs
// the rights to read and write below the prefix.
package etcdbus
