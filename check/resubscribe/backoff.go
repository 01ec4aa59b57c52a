package resubscribe

import (
	"fmt"
	"time"
)

// The delays of a subscribe request (S3.4).
const (
	defaultFloor  = 5 * time.Second
	defaultMax    = 60 * time.Second
	defaultJitter = 0.2
)

// shortestTime keeps a floor or a ceiling from being a hot loop.
const shortestTime = time.Millisecond

// Backoff is how long to wait after requests that brought nothing: the floor, then
// twice as long each time, up to the maximum (S3.4, X21). A zero field is not set and
// takes its default. It is a value without state, and pure.
type Backoff struct {
	// Floor is the shortest delay, at least 1 ms; 0 is 5 s. Max is the longest, at
	// least Floor; 0 is 60 s.
	Floor, Max time.Duration
	// Jitter is by which share a delay is shorter or longer by chance, so that those
	// who failed together do not come back together: above 0, up to 1; 0 is 0.2.
	Jitter float64
	// NoJitter makes every delay exact. Jitter is not set then.
	NoJitter bool
}

// Validate names the field that is wrong, its value and its bound (S3.8, X30).
func (b Backoff) Validate() error {
	_, err := b.settle()
	return err
}

// Next returns the delay after so many failures in a row. Up to the first it is the
// floor, after the second twice the floor. random, at least 0 and below 1, picks a
// point of the range that the jitter leaves: uniformly between a share below and above
// the delay, folded inwards so that it never leaves Floor to Max. So it is 1 to 1.2
// floors at the floor, and 0.8 to 1 of the maximum at the cap.
//
// There is an answer for every input: a random out of its range is the nearest in it,
// and a Backoff that Validate refuses counts as the default one. Cost: as many steps
// as there are doublings from Floor to Max, 63 at most.
func (b Backoff) Next(failures int, random float64) time.Duration {
	settled, err := b.settle()
	if err != nil {
		settled, _ = Backoff{}.settle()
	}
	return settled.next(failures, random)
}

// next is Next of a settled Backoff.
func (b Backoff) next(failures int, random float64) time.Duration {
	delay := b.Floor
	for i := 1; i < failures && delay < b.Max; i++ {
		delay = twice(delay, b.Max)
	}
	swing := share(b.Jitter, delay) // none without jitter
	low := max(b.Floor, delay-swing)
	high := delay + min(swing, b.Max-delay)
	return low + share(random, high-low)
}

// twice doubles d up to most. It stops there and not after it: twice of what is far
// above the middle of the range would be below 0.
func twice(d, most time.Duration) time.Duration {
	if d > most/2 {
		return most
	}
	return 2 * d
}

// share returns a part of d, from 0 for none to d for all of it, and nothing else
// whatever the part.
func share(part float64, d time.Duration) time.Duration {
	of := part * float64(d)
	switch {
	case !(of > 0): // or it is not a number
		return 0
	case of >= float64(d): // which may be more than d by rounding, and than a Duration holds
		return d
	}
	return time.Duration(of)
}

// settle returns the Backoff that is used, or what is wrong with this one.
func (b Backoff) settle() (Backoff, error) {
	b.Floor = orDefault(b.Floor, defaultFloor)
	b.Max = orDefault(b.Max, defaultMax)
	switch {
	case b.Floor < shortestTime:
		return Backoff{}, fmt.Errorf("resubscribe: floor %v: must be at least %v, or 0 for %v", b.Floor, shortestTime, defaultFloor)
	case b.Max < b.Floor:
		return Backoff{}, fmt.Errorf("resubscribe: max %v: must be at least the floor %v, or 0 for %v", b.Max, b.Floor, defaultMax)
	case !(b.Jitter >= 0 && b.Jitter <= 1): // or it is not a number
		return Backoff{}, fmt.Errorf("resubscribe: jitter %v: must be above 0 and at most 1, or 0 for %v", b.Jitter, defaultJitter)
	case b.NoJitter && b.Jitter != 0:
		return Backoff{}, fmt.Errorf("resubscribe: jitter %v: must not be set together with NoJitter", b.Jitter)
	}
	if !b.NoJitter && b.Jitter == 0 {
		b.Jitter = defaultJitter
	}
	return b, nil
}

// orDefault returns the time, or what it is when it is not set.
func orDefault(set, otherwise time.Duration) time.Duration {
	if set == 0 {
		return otherwise
	}
	return set
}
