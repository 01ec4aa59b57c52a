//go:build linux

package main

import "fmt"

// legend says what is to be known of the figures.
func legend() string {
	return fmt.Sprintf(`
The nodes run with a TTL of %v (usual: 15 s), compute the level each %v (5 s), ask the
database and try each other each %v (5 s), repeat snapshots each %v (10 s), and call what
is older than %v stale (30 s). Must be: no level but the five, never two nodes at 250 or
with open gates at once, each transition once, no write but the primary's, a failover
within %v, and a fault that shows within %v.
`, ttl, health, interval, republish, staleAfter, failoverLimit, noticeLimit)
}
