package adapter

import (
	"testing"
	"time"
)

// TestClockIsReadLast has a sample end in the middle of an answer: while the clock is
// being read, which takes as long as this process does not run. An answer from that
// sample would know a time of before it, for which nothing of it is old. So the answer
// must be one from what was known before (S2.11).
func TestClockIsReadLast(t *testing.T) {
	const began = instant(time.Hour)
	yes := func(from instant) *standing {
		return &standing{passes: [endpoints]bool{true, true, true}, from: from}
	}
	for name, c := range map[string]struct {
		before *standing
		read   instant // by the clock
		want   bool
	}{
		"nothing known before":  {nil, began, false},
		"old before":            {yes(began), began + instant(maxAge) + 1, false},
		"good before":           {yes(began), began + instant(maxAge), true},
		"no by the last sample": {&standing{from: began}, began, false},
	} {
		t.Run(name, func(t *testing.T) {
			for e := startup; e < endpoints; e++ {
				a := newAdapter(testConfig())
				a.standing.Store(c.before)
				a.now = func() instant {
					after := yes(c.read + 1)
					if c.want { // the sample that has ended says the contrary
						after = &standing{from: c.read + 1}
					}
					a.standing.Store(after)
					return c.read
				}
				if got := a.answer(e); got != c.want {
					t.Errorf("endpoint %d: %v, want %v", e, got, c.want)
				}
			}
		})
	}
}
