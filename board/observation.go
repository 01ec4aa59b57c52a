package board

import (
	"math"
	"time"
)

// Details is what people want to know of a processor beside its id. All of it
// is optional, and none of it changes a verdict.
type Details struct {
	Description string // what the loop does
	Owner       string // whom to ask
	Runbook     string // where to read what to do
}

// Line is what one reporter says: the processor's own, or one worker's. Every
// age counts from a monotonic stamp and is never negative (rule 5).
type Line struct {
	// State is the line's state, and Age how long ago its stamp was taken: the
	// last beat or Resume in Running, the last Busy or beat in Busy, the entry
	// in every other state.
	State State
	Age   time.Duration
	// Limit is the BusyFor limit of the unit in progress, whole milliseconds;
	// zero when there is none, and the policy's BusyLimit holds.
	Limit time.Duration
	// Lag is in events behind the head, valid while LagKnown; LagAge is how
	// long ago it was reported.
	Lag    int64
	LagAge time.Duration
	// Position is the place last reported with SetPosition, valid while
	// PositionKnown; PositionAge is how long it has stood still: since it last
	// changed, or the line last reported a lag of zero.
	Position    int64
	PositionAge time.Duration
	// LagKnown and PositionKnown tell a report of zero from none.
	LagKnown, PositionKnown bool
	// Beats counts Beat, BeatLag and Done. On a processor's own line it goes
	// on over incarnations and includes its workers' beats.
	Beats uint64
}

// WorkerLine is the line of one member of a pool.
type WorkerLine struct {
	Name string
	Line
}

// Observation is what a reader sees of one processor. The zero Observation is
// that of an unknown key: Unreported, and nothing known (S5.1, S5.2).
type Observation struct {
	// Key is the id, or "id::rebuild::version" for a rebuild (S5.11).
	Key string
	// Interval is the registered one, never zero for a registered processor.
	Interval time.Duration
	// Line is the processor's own line. A processor that reports only through
	// workers leaves it Unreported.
	Line
	// Rebuild says that this is a shadow rebuild, which may lag.
	Rebuild bool
	// Starts counts the incarnations that reported anything, Faults those that
	// faulted. Both only grow.
	Starts, Faults uint64
	// Err is the cause given to the first Fault of this incarnation; nil unless
	// Faulted. It may hold secrets: for logs only. FaultedBy names the worker
	// that faulted, empty when it was the processor itself.
	Err       error
	FaultedBy string
	// Workers holds the live workers in order of creation. The slice is valid
	// until the Observation is filled again (see All and Sweep).
	Workers []WorkerLine
	// Details is nil when none were registered. It must not be changed.
	Details *Details
}

// TotalLag is the processor's lag: that of its own line, or else of its workers
// together, which saturates; and how old the oldest part of it is. Known is
// false when no line tells one.
func (o *Observation) TotalLag() (lag int64, age time.Duration, known bool) {
	if o.LagKnown {
		return o.Lag, o.LagAge, true
	}
	for i := range o.Workers {
		if w := &o.Workers[i]; w.LagKnown {
			lag, age, known = lag+min(max(w.Lag, 0), math.MaxInt64-lag), max(age, w.LagAge), true
		}
	}
	return lag, age, known
}
