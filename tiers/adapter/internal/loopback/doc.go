// Package loopback serves a few exact paths to local peers, in one goroutine and
// fixed memory, so that no number of silent clients keeps a valid probe waiting.
//
// # How it serves
//
// One goroutine polls the listener and eight slots of 4 KiB, in each of which one
// connection's request head grows until package head has a verdict on it. Then
// the one reply is written, the connection is shut for writing, and what the
// client still sends is read and thrown away for a moment, since closing a socket
// with unread bytes makes the kernel send a reset that can overtake the reply. A
// connection has 0.5 s for its head, however it spends them, and 0.5 s to go
// away after the reply. When all slots are taken, a newcomer gets the slot of a
// connection that has had its reply, or else of the oldest head, which is closed
// without one. (S2.13, S2.15, A4-A6)
//
// # What it replies
//
// 200 or 503 as the caller says at that moment, and 400, 404, 405, 421, 431 or 505
// by the rules of package head. A client that shuts its side in the middle of a
// head gets 400; one that has said nothing, or is too slow, gets no reply. Each
// reply has the standard reason phrase, a status-only JSON body that HEAD leaves
// out, Content-Length, no-store, nosniff and Connection: close, 405 has Allow, and
// there is nothing else: no Date, no Server, nothing of the request. (S2.7, S2.9,
// A5)
//
// # When there are no descriptors
//
// A server that cannot accept has connections waiting in front of it, and a poll
// that returns at once. So it keeps one descriptor in reserve, and when the
// process or the system has none left it gives that one, or the oldest
// connection's, to the newcomer. Where even that fails it leaves the listener
// alone for 50 ms. (A11)
//
// # What remains
//
// The listen queue is short, so clients that connect thousands of times a second
// can fill it in the moments in which this process does not run. The kernel then
// drops a probe's SYN, and its sender repeats it after a second. They can also make
// eight connections between a probe's connection and its request, which costs the
// probe its slot. Whoever may connect to the loopback address can do this.
//
// # Other systems than Linux
//
// There the server is made of package net instead of raw sockets. It gives the
// same replies to the same bytes, and differs in three ways: a goroutine for each
// of the at most eight connections, although one reply is written at a time; the
// system's own length of the listen queue instead of 2; and no descriptor in
// reserve, so that without descriptors it waits until there are some.
package loopback
