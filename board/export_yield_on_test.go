//go:build loopvitals_yield

package board

// Yields tells whether operations can be interrupted in the middle.
const Yields = true

// AtYield lets f be called where an operation can be interrupted; nil lets the
// operations run freely again.
func AtYield(f func()) {
	if f == nil {
		atYield.Store(nil)
	} else {
		atYield.Store(&f)
	}
}
