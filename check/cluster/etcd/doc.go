// Package etcd keeps the members of a cluster in etcd. It is a module of its
// own, so that only those who use etcd require its client.
//
// # Usage
//
// Make a client, a KV over it, and a casmember.Node over that; see the example of
// New.
//
// The client is the application's: the KV neither closes nor changes it. Without
// its two DialKeepAlive settings a connection that has gone silent is kept for
// as long as the kernel retransmits, which can be a quarter of an hour; with
// them a node that was cut off is back soon after the cut. gRPC takes no less
// than 10 s.
//
// # What it relies on
//
// Reads are linearizable, writes are transactions that compare the record's
// ModRevision, and ages are revisions of the whole store. No lease is used: when
// a member has lost its claim is measured by its peers and by itself, and not by
// the servers (see casmember). Compaction needs no care, since a watch that was
// overtaken by it lists anew.
//
// With authentication on, the user needs the rights to read and write below the
// prefix. clientv3.New then asks for a token, and so fails where a client
// without a user name would connect later.
//
// # What an operator must not do
//
// A store restored from a backup counts from an older revision, and would give
// new members smaller ages than old ones. A KV that sees this refuses all
// further work, so its node stays fenced until the process is restarted. Stop
// the members before such a restore, or use --bump-revision.
package etcd
