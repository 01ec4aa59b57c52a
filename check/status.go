package check

import "strconv"

// Status is how one check, tier or processor stands. The zero value is
// Unhealthy, so a forgotten Result fails closed, and the order is from worst
// to best, so the worst of two is the smaller.
type Status uint8

// The three statuses of the health specification (S1.3, S1.39).
const (
	Unhealthy Status = iota
	Degraded
	Healthy
)

// String returns exactly "Unhealthy", "Degraded" or "Healthy" (S1.39). Any
// other value counts as Unhealthy and is shown as "status_N", so that a wrong
// value is noticed in a log; use Known before showing a status to a client.
func (s Status) String() string {
	switch s {
	case Unhealthy:
		return "Unhealthy"
	case Degraded:
		return "Degraded"
	case Healthy:
		return "Healthy"
	}
	return "status_" + strconv.Itoa(int(s))
}

// Known returns s, or Unhealthy when s is none of the three statuses.
func (s Status) Known() Status {
	if s > Healthy {
		return Unhealthy
	}
	return s
}

// Worst returns the worse of two statuses; an unknown one counts as Unhealthy
// (S1.9).
func Worst(a, b Status) Status {
	return min(a.Known(), b.Known())
}
