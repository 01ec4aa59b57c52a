package tiers

import (
	"errors"
	"fmt"
)

// errGoexit is the cause when user code ended its goroutine.
var errGoexit = errors.New("goroutine ended by runtime.Goexit")

// contained runs user code to its end; nil means that it returned. A panic and
// runtime.Goexit are caught alike (F23); a goroutine of its own is what it
// takes to outlive Goexit, which no deferred function can stop. The caller
// waits: user code that blocks blocks it. The cause is for a log only.
func contained(user func()) (cause error) {
	done := make(chan error, 1)
	go contain(user, func(cause error) { done <- cause })
	return <-done
}

// contain runs user code on a goroutine that was made for it, and tells end how
// that went, whatever it was.
func contain(user func(), end func(cause error)) {
	cause := errGoexit
	// Registered first, so that it runs even when printing the panic's value,
	// which is user code too, ends the goroutine.
	defer func() { end(cause) }()
	defer func() {
		if p := recover(); p != nil {
			cause = fmt.Errorf("panic: %v", p)
		}
	}()
	user()
	cause = nil
}
