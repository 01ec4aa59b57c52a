//go:build !loopvitals_yield

package board

// Yields tells whether operations are interrupted in the middle.
const Yields = false
