package liveness

import (
	"strconv"

	"github.com/loopvitals/loopvitals/check"
)

// Reason says why a processor has its status. The values are in order of
// precedence, so of two that apply the smaller is shown, and the zero value is
// the worst: a forgotten Verdict fails closed.
type Reason uint8

// The reasons. Their String is part of the JSON, of the metrics and of
// docs/operations.md, and does not change.
const (
	// Faulted: the loop stopped for good (S5.14). Unhealthy.
	Faulted Reason = iota
	// NeverStarted: registered, and silent past StartWithin. Unhealthy.
	NeverStarted
	// Stuck: one unit of work takes longer than its limit. Unhealthy.
	Stuck
	// Stale: the last beat is older than StaleAfter (S5.15). Unhealthy.
	Stale
	// ObserverLate: it would be stale, stuck or never started, but the
	// observer was itself late, so the silence proves nothing yet. Degraded.
	ObserverLate
	// Stalled: the position does not move although there is lag. Degraded.
	Stalled
	// Starved: the loop waits for input although there is lag. Degraded.
	Starved
	// Lagging: more lag than DegradedLag (S5.16). Degraded.
	Lagging
	// Unreported: registered or restarted, and silent so far (S5.13). Healthy,
	// as are all that follow.
	Unreported
	// Running: it beats in time.
	Running
	// Idle: it waits for input, for as long as that takes.
	Idle
	// Busy: it works on one unit, within its limit.
	Busy
	// Standby: another replica holds the lease.
	Standby
	// Paused: it is held on purpose.
	Paused
	// Stopped: it ended on purpose.
	Stopped
)

var reasonNames = [...]string{
	"faulted", "never_started", "stuck", "stale", "observer_late", "stalled", "starved", "lagging",
	"unreported", "running", "idle", "busy", "standby", "paused", "stopped",
}

// String returns the reason's word, or "reason_N" for a value that is none.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "reason_" + strconv.Itoa(int(r))
}

// status is what a reason amounts to. A value that is no reason counts as
// Unhealthy.
func (r Reason) status() check.Status {
	switch {
	case r < ObserverLate || r > Stopped:
		return check.Unhealthy
	case r < Unreported:
		return check.Degraded
	}
	return check.Healthy
}
