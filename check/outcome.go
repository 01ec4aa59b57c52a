package check

import "strconv"

// Outcome is the class of one run of a check: what a metric label and, when
// the author wrote no Description, an entry's text may say about it. The zero
// value is Failed, so a forgotten Outcome fails closed.
type Outcome uint8

// The five classes of a run.
const (
	// Failed is a check that answered Unhealthy.
	Failed Outcome = iota
	// Timeout is a run that had not returned at its limit.
	Timeout
	// Panic is a check that panicked or ended its goroutine instead of
	// answering.
	Panic
	// DegradedOutcome is a check that answered Degraded.
	DegradedOutcome
	// OK is a check that answered Healthy.
	OK
)

// String returns "ok", "degraded", "failed", "timeout" or "panic", and
// "outcome_N" for any other value.
func (o Outcome) String() string {
	switch o {
	case Failed:
		return "failed"
	case Timeout:
		return "timeout"
	case Panic:
		return "panic"
	case DegradedOutcome:
		return "degraded"
	case OK:
		return "ok"
	}
	return "outcome_" + strconv.Itoa(int(o))
}

// outcomeOf is the class of an answer that came in time.
func outcomeOf(s Status) Outcome {
	switch s {
	case Healthy:
		return OK
	case Degraded:
		return DegradedOutcome
	case Unhealthy:
	}
	return Failed
}
