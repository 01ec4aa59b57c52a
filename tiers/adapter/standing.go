package adapter

import "time"

// endpoint is one of the three questions that a probe can ask.
type endpoint int

const (
	startup endpoint = iota
	ready
	live
	endpoints // how many there are
)

// standing is what the last sample said, in the form in which it is asked for. It
// never changes once it is published. A nil standing holds nothing.
type standing struct {
	passes [endpoints]bool
	// from is when the oldest fact in it was true: its age starts with the sample,
	// less the age that the node counted itself (S2.11).
	from instant
}

// holds tells whether it answers e with yes at an instant. What is exactly as old
// as it may be still does (X18).
func (s *standing) holds(e endpoint, at instant, maximumAge time.Duration) bool {
	return s != nil && e >= 0 && e < endpoints && s.passes[e] && at.since(s.from) <= maximumAge
}
