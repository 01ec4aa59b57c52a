package tiers

import (
	"net/http"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// Report is the answer of one tier at one time.
type Report struct {
	// Tier is the question that was asked.
	Tier Tier
	// Status is the worst of the entries, Healthy when there are none (S1.9).
	// It counts entries that the body had no room for.
	Status check.Status
	// Total is the wall time that the tier's checks took together (S1.40).
	Total time.Duration
	// Truncated is how many entries were already left out of Entries. Evaluate
	// leaves none out; the writers add what they had no room for.
	Truncated int
	// Entries holds one entry a check, in the order of their names.
	Entries []Entry
}

// Entry is the answer of one check (S1.41).
type Entry struct {
	// Name is the check's registration name, unique in a Set.
	Name string
	// Status is the check's answer; an unknown value counts as Unhealthy.
	Status check.Status
	// Description is its author's text, or the class of its failure; empty is
	// written as null. The cause of a failure is never here (F51).
	Description string
	// Duration is how long the run that gave the answer took. A result that
	// was reused keeps the duration of its run.
	Duration time.Duration
	// Sampled is when that run began, on the Set's clock, or the run of a
	// check.Runner below that it answered from; zero for the entry of Drain, which
	// no run gave. The writers leave it out.
	Sampled time.Time
	// Data is the author's detail, written only when not empty (S1.42, X10).
	Data map[string]any
}

// StatusCode returns the HTTP status of the report: 200 for Healthy and
// Degraded, 503 for Unhealthy and for a status that is none of the three; the
// live tier is always 200 (S1.3-S1.5, S1.11).
func (r Report) StatusCode() int {
	if r.Tier == Live || r.Status.Known() != check.Unhealthy {
		return http.StatusOK
	}
	return http.StatusServiceUnavailable
}

// clone returns a report whose Entries its receiver may change.
func (r Report) clone() Report {
	r.Entries = append([]Entry(nil), r.Entries...)
	return r
}
