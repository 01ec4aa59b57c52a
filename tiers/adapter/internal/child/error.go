package child

import (
	"fmt"
	"time"
)

// Kind is why a run failed.
type Kind uint8

// The kinds of failure.
const (
	// NotStarted: there is no such command, it may not be executed, the system
	// refused, or a run is in progress, or one has left something behind.
	NotStarted Kind = iota + 1
	// Timeout: it was still running at its limit.
	Timeout
	// TooLarge: it printed more than its limit.
	TooLarge
	// Exit: it ended with another status than 0, or by a signal.
	Exit
	// Stopped: the runner was stopped, before or during the run.
	Stopped
	// Leftover: it succeeded, and something it left behind could not be killed.
	Leftover
)

// String is the name as it appears in logs.
func (k Kind) String() string {
	switch k {
	case NotStarted:
		return "not started"
	case Timeout:
		return "timeout"
	case TooLarge:
		return "too large"
	case Exit:
		return "exit"
	case Stopped:
		return "stopped"
	case Leftover:
		return "leftover"
	default:
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
}

// Error is the failure of a run. It quotes nothing that the command printed.
type Error struct {
	Kind Kind
	// Reason tells more, in words of this package or of the operating system.
	Reason string
	// Left is how many processes could not be killed in time; as a rule 0.
	Left int
	// Err is the cause, if the operating system gave one.
	Err error
}

// Error is one line.
func (e *Error) Error() string {
	text := "child: " + e.Kind.String() + ": " + e.Reason
	if e.Left > 0 {
		text += fmt.Sprintf("; %d left that could not be killed in time", e.Left)
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

func stoppedError() *Error { return &Error{Kind: Stopped, Reason: "the runner was stopped"} }

func timeoutError(limit time.Duration) *Error {
	return &Error{Kind: Timeout, Reason: fmt.Sprintf("still running after %v", limit)}
}

func tooLargeError(limit int) *Error {
	return &Error{Kind: TooLarge, Reason: fmt.Sprintf("more than %d bytes of output", limit)}
}

func notStartedError(cause error) *Error {
	return &Error{Kind: NotStarted, Reason: cause.Error(), Err: cause}
}
