// Package head parses the head of an HTTP request by a grammar that is much
// smaller than HTTP's: what it does not need, it refuses.
//
// A head is a request line, up to MaxFields field lines and an empty line, each
// ended by CR LF, in MaxBytes at most. Nothing may follow it (A4).
//
// # Which refusal comes first
//
// A head may be wrong in several ways. The first of these that holds decides:
//
//  1. 400 Malformed and 431 TooLarge, whichever is met first when reading from
//     the front. A control byte is met where it stands, a wrong line where it
//     ends, the field too many at its first byte, a head too long at its last
//     byte, and bytes after the head behind all these.
//  2. 505 BadVersion: neither HTTP/1.0 nor HTTP/1.1.
//  3. 421 Misdirected: not exactly one Host, byte-equal to the configured one.
//  4. 405 NotAllowed: neither GET nor HEAD.
//  5. 404 NotFound: the target is not byte-equal to a configured path.
//
// So how the bytes are cut into packets never changes an answer, with one
// exception that has no remedy: bytes that arrive after the answer was given.
package head
