package main

import "time"

// during returns how many subscribes of a connection were sent in the stall.
func during(sends []send) int {
	n := 0
	for _, s := range sends {
		if s.at < stall {
			n++
		}
	}
	return n
}

// instant is what a request may take to end that was told to, as the one before the next
// is at the ceiling.
const instant = time.Second

// together returns the most subscribes of a connection that were under way at a time in
// the stall.
func together(sends []send) int {
	most := 0
	for i, s := range sends {
		under := 0
		for _, earlier := range sends[:i] {
			if earlier.open || earlier.ended > s.at+instant {
				under++
			}
		}
		if s.at < stall {
			most = max(most, under+1)
		}
	}
	return most
}

// waits returns how long a connection was to wait after each of its first n subscribes.
func waits(sends []send, n int) []time.Duration {
	var waits []time.Duration
	for _, s := range sends[:min(n, len(sends))] {
		waits = append(waits, s.wait)
	}
	return waits
}

// cost returns how many requests a subscribe takes that brings all items, or 0 where
// they differ.
func (o outcome) cost() int {
	cost := -1
	for _, sends := range append([][]send{o.before}, o.sends...) {
		for _, s := range sends {
			switch {
			case s.open || s.err != nil:
			case cost < 0:
				cost = s.requests
			case cost != s.requests:
				return 0
			}
		}
	}
	return max(cost, 0)
}

// late counts the subscribes of a connection that brought all items when another had been
// sent already.
func late(sends []send) int {
	n := 0
	for i, s := range sends[:max(0, len(sends)-1)] {
		if !s.open && s.err == nil && s.ended > sends[i+1].at {
			n++
		}
	}
	return n
}

// recovery is for how long after the stall an item was not good.
func (o outcome) recovery() time.Duration { return max(0, o.goodAt-stall) }

// most returns the largest figure of the connections.
func (o outcome) most(figure func([]send) int) int {
	n := 0
	for _, sends := range o.sends {
		n = max(n, figure(sends))
	}
	return n
}
