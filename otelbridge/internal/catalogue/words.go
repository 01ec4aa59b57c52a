package catalogue

import "github.com/loopvitals/loopvitals/check"

// Unknown is the index, after that of the last status, of what is not known: a
// tier or a check that never ran, or ran too long ago.
const Unknown = int(check.Healthy) + 1

// StatusWords are the values of the attribute status, by check.Status and
// Unknown. Processors have all but the last one.
var StatusWords = [...]string{
	check.Unhealthy: "unhealthy",
	check.Degraded:  "degraded",
	check.Healthy:   "healthy",
	Unknown:         "unknown",
}

// The values of the attribute kind of InternalEvents.
const (
	RefusedRegistration = "refused_registration"
	ClampedLag          = "clamped_lag"
	DroppedTransition   = "dropped_transition"
)

// DurationBounds are the buckets of CheckDuration in seconds, around the limits
// that probes and checks have. The usual ones are made for milliseconds.
var DurationBounds = [...]float64{.001, .005, .01, .05, .1, .25, .5, 1, 2.5, 5, 10}
