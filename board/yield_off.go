//go:build !loopvitals_yield

package board

// yield marks a place where a report or a read can be interrupted. The
// linearizability test gives the processor away there; otherwise it is nothing.
func yield() {}
