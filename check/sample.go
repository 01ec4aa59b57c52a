package check

import "time"

// Sample is one result with what is known about the run that gave it.
type Sample struct {
	// Name is the runner's name.
	Name string
	// Result is the answer. Its Status is one of the three known ones, and
	// its Description holds no error text: the author's words, or the class
	// when there are none.
	Result Result
	// Outcome is the class of the run.
	Outcome Outcome
	// Started is when the run started, on the runner's clock; for a runner of a
	// Runner, when the run below did that the answer is from. For arithmetic
	// use Age: a Started that was stored or sent has lost its monotonic part.
	Started time.Time
	// Duration is how long the run took. For a run that is hung it is the
	// time since its start.
	Duration time.Duration
	// Age is the time since Started at the moment of asking, never negative.
	// It is 0 for a run that is hung: that it has not returned is known now.
	Age time.Duration
	// Expired tells that Age is more than the runner's maximum age. The
	// Result is then Unhealthy, whatever the run said.
	Expired bool
}
