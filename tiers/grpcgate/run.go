package grpcgate

import "runtime"

// returned is how a call on another goroutine ended.
type returned struct {
	err      error
	value    any // of its panic
	normally bool
}

// run makes the call and tells done how it ended.
func run(call func() error, done chan<- returned) {
	var r returned
	defer func() {
		if !r.normally {
			r.value = recover()
		}
		done <- r
	}()
	r.err = call()
	r.normally = true
}

// result ends the caller the way the call ended: it must be possible to recover
// from a panic further out, as if there were no other goroutine.
func (r returned) result() error {
	switch {
	case r.normally:
	case r.value != nil:
		panic(r.value)
	default:
		runtime.Goexit()
	}
	return r.err
}
