// Package head parses the head of an HTTP request by a grammar that is much
// smaller than HTTP's: what it does not need, it refuses.
package head
