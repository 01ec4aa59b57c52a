// Package claim is where a node writes down that it holds itself for the active
// one, in a file that it shares with the process that watches it: what a node
// claimed until the moment it was killed is still there afterwards. All times are
// those of the one kernel's boot clock, so the claims of different processes
// compare exactly.
package claim
