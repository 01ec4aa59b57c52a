// Package natskv keeps the members of a cluster in a key-value bucket of NATS
// JetStream. It is a module of its own, so that only those who use NATS require
// its client.
//
// # Usage
//
// Make a connection, a KV over it, and a casmember.Node over that; see the example
// of New.
//
// The connection is the application's: the KV neither closes nor changes it.
// RetryOnFailedConnect lets a program start before its servers,
// MaxReconnects(-1) and IgnoreAuthErrorAbort keep it trying, also when a password
// was refused, and the ping settings notice a connection that has gone silent; by
// default that takes four minutes.
//
// # What it relies on
//
// Writes are published with the last sequence that their subject is expected to
// have, and ages are sequences of the bucket's stream. A read may be answered by
// a replica that is behind, so a record counts as gone only when a write proved
// it. The bucket must have no TTL: the servers would count it by the calendar,
// and delete the marks of deleted records too, so that a node which was offline
// would wait for a dead member for ever. When a member has lost its claim is
// measured by its peers and by itself (see casmember).
//
// With three replicas the choice of a new leader for the stream can take
// seconds, in which nobody can write: give casmember a TTL of 10 s or more.
//
// The bucket keeps the last eight writes of each record, so that a watch which is
// behind is still told all of them in order; one that is further behind begins
// again. So each life of a member leaves about 2 KB in the bucket; the command
// "nats kv compact" removes what is older than half an hour.
//
// # What an operator must not do
//
// A bucket that was deleted and made again counts from 1, and would give new
// members smaller ages than old ones. A KV makes the bucket only if it has not
// seen it yet. When it is gone later, or is another one, it refuses all further
// work, so its node stays fenced until the process is restarted.
package natskv
