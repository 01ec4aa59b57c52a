package check

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

var errGoexit = errors.New("check: the check ended its goroutine without an answer (runtime.Goexit)")

// maxStack bounds what a panic keeps for the log.
const maxStack = 8 << 10

// panicError keeps a panic's value for the log. The text is made only when
// the log asks for it: a value's own Error method is the author's code too,
// and may itself panic, exit or hang.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("check: panic: %v", p.value) }

// Unwrap returns the value of panic(err).
func (p *panicError) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// contained asks c and hands done exactly one answer, whatever c does: return,
// panic with any value, or end the goroutine. In the last case done runs while
// the goroutine unwinds, and contained does not return.
func contained(ctx context.Context, c Checker, done func(Result, Outcome)) {
	var (
		result   Result
		returned bool
	)
	defer func() {
		// A panic(nil) of a program that runs with panicnil=1 looks like a
		// Goexit here, which is as well: both ended without an answer.
		switch value := recover(); {
		case returned:
			result.Status = result.Status.Known()
			done(result, outcomeOf(result.Status))
		case value != nil:
			stack := debug.Stack()
			done(Result{Err: &panicError{value, stack[:min(len(stack), maxStack)]}}, Panic)
		default:
			done(Result{Err: errGoexit}, Panic)
		}
	}()
	result = c.Check(ctx)
	returned = true
}
