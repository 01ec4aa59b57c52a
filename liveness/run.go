package liveness

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/pprof"

	"github.com/loopvitals/loopvitals/board"
)

// errGoexit is the fault of a loop that ended its goroutine.
var errGoexit = errors.New("liveness: the loop called runtime.Goexit")

// PanicError is the fault of a loop that panicked, and what Run returns then.
type PanicError struct {
	// Value is what the loop panicked with.
	Value any
	// Stack is where it panicked, as runtime/debug.Stack gives it.
	Stack []byte
}

// Error says that the loop panicked, and with what; the stack is left to those
// who ask for it.
func (e *PanicError) Error() string { return fmt.Sprintf("liveness: the loop panicked: %v", e.Value) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Run runs a loop in the caller's goroutine and tells its end to r, so that none
// goes unseen (X5). The goroutine carries the pprof label processor=<key>.
//
//   - A nil error, or ctx is done and the error is ctx.Err() or its cause, is a
//     Stop.
//   - Any other error, a panic, and runtime.Goexit are a Fault. A panic is
//     returned as a *PanicError; Goexit goes on, since it cannot be stopped.
//
// Beats are left to the loop, which knows when it has gone round. A nil r is
// legal: the loop runs, and nobody watches. Run closes nothing: r can be
// restarted, or closed by the one who registered it, once Run has returned. A
// loop that closes r itself, by a defer for instance, has left the board before
// its end is known, and what it then returns is told to nobody.
func Run(ctx context.Context, r *board.Reporter, loop func(context.Context) error) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
			r.Fault(err)
			return
		}
		r.Fault(errGoexit)
	}()
	pprof.Do(ctx, labels(r), func(ctx context.Context) { err = loop(ctx) })
	onPurpose := err == nil || ended(ctx, err) // may call the error's methods
	returned = true
	if onPurpose {
		r.Stop()
	} else {
		r.Fault(err)
	}
	return err
}

// labels names the processor in profiles and goroutine dumps.
func labels(r *board.Reporter) pprof.LabelSet {
	if r == nil {
		return pprof.Labels()
	}
	return pprof.Labels("processor", r.Key())
}

// ended tells whether err is only the end of ctx, passed on: wrapped perhaps, but
// not joined with anything else.
func ended(ctx context.Context, err error) bool {
	if ctx.Err() == nil {
		return false
	}
	for link := err; link != nil; link = errors.Unwrap(link) {
		if _, joined := link.(interface{ Unwrap() []error }); joined {
			return false
		}
	}
	return errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))
}
