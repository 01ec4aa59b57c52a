package cluster

import (
	"testing"
	"time"
)

// TestWakeIsNeverBehind: the fallback clock goes on by whichever of its two clocks
// has gone further since the last reading.
func TestWakeIsNeverBehind(t *testing.T) {
	var w wake
	for _, step := range []struct {
		name                string
		monotonic, calendar time.Duration
		want                Instant
	}{
		{"both go on", 10, 10, 10},
		{"the host slept: the monotonic clock stood still", 1, 100, 110},
		{"the date was set back", 5, -1000, 115},
		{"the date was set forward", 5, 1000, 1115},
		{"it was set back again, and nothing is owed for that", 5, -990, 1120},
		{"a reading that came late", -3, -3, 1120},
		{"a late reading over a change of the date", -3, 1000, 1120},
		{"at the same moment", 0, 0, 1120},
	} {
		if got := w.step(step.monotonic, step.calendar, time.Time{}); got != step.want {
			t.Errorf("%s: %d, want %d", step.name, got, step.want)
		}
	}
}

// TestWakeReadsBothClocks: a late reading does not move the base.
func TestWakeReadsBothClocks(t *testing.T) {
	base := time.Now()
	w := wake{last: base}
	for _, reading := range []struct {
		at   time.Time
		want Instant
	}{
		{base.Add(10), 10},
		{base.Add(7), 10},
		{base.Add(12), 12},
	} {
		if got := w.at(reading.at); got != reading.want {
			t.Errorf("%d, want %d", got, reading.want)
		}
	}
}
