// Package natsbus carries the messages of warm nodes over NATS: a redundancy.Bus
// over plain publish and subscribe, without JetStream. It is a module of its own,
// so that only those who use NATS require its client.
//
// # Usage
//
// Make a connection, a Bus over it, and a redundancy.Node over that; see the example
// of New.
//
// The connection is the application's, and may be the one that natskv works on: the
// Bus neither closes nor changes it. RetryOnFailedConnect lets a program start
// before its servers, MaxReconnects(-1) and IgnoreAuthErrorAbort keep it trying,
// and the ping settings notice a connection that has gone silent; by default that
// takes four minutes. FlusherTimeout is how long a call may be held up by a
// connection that takes no more bytes; by default that is a minute. NoEcho must not
// be set, since a node hears itself.
//
// # What it relies on
//
// Publish has the server confirm what was sent before, so without an error the
// server has the message. Without a server it fails at once, and does not leave
// the message to the buffer that the client sends when it is back: after minutes a
// probe's result would be taken for a new one. ReconnectBufSize(-1) takes that
// buffer away, which also covers a connection that breaks in between.
//
// Nothing is stored, so nothing grows, and who was away has missed what was said.
// A subscriber that is slow loses messages of its own and keeps its subscription.
//
// # Permissions
//
// With authorization on, the user needs to publish and subscribe to prefix.>. NATS
// tells the lack of it to the connection's error handler, and not to Publish. With
// PermissionErrOnSubscribe(true) Subscribe returns it too.
package natsbus
