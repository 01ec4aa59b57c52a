//go:build !loopvitals_yield

package board

// Yields tells whether operations can be interrupted in the middle.
const Yields = false

// AtYield does nothing.
func AtYield(func()) {}
