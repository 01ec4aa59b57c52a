package check

import "context"

// Result is what a Checker answers. The zero Result is Unhealthy.
type Result struct {
	// Status is the answer; an unknown value counts as Unhealthy.
	Status Status
	// Description is the author's text for people. It is shown to every
	// client, so it must hold nothing secret. Empty is shown as null.
	Description string
	// Data is detail for dashboards, shown as the entry's data object when it
	// is not empty (S1.42). It must not be changed after it was returned.
	Data map[string]any
	// Err is the cause. It goes to the log hook only, never to a body, a
	// header or a metric label.
	Err error
}

// Checker answers one question about the process. Check may be called by any
// goroutine. A Checker that does I/O must honour ctx, but the Runner contains
// one that does not.
type Checker interface {
	Check(ctx context.Context) Result
}

// Instant marks a Checker that only reads memory: it is evaluated afresh for
// every request, without result reuse (see Runner).
type Instant interface {
	Checker
	Instant()
}

// Func is a function that is a Checker.
type Func func(ctx context.Context) Result

// Check calls f.
func (f Func) Check(ctx context.Context) Result { return f(ctx) }
