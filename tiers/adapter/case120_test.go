package adapter

import (
	"slices"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// TestDeadBackend is CASE-120: the last good observation starts at t=99.9 and ends
// at t=100.0; then every sample hangs, and good ones are back from t=110. The
// calendar goes back by an hour at t=101. TestHeadIsGet asks the same of a real
// server.
func TestDeadBackend(t *testing.T) {
	calendar := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	play := func(start time.Duration) run {
		wall := calendar.Add(start)
		if start >= 101*time.Second {
			wall = wall.Add(-time.Hour)
		}
		if start > 99900*ms && start < 110*time.Second {
			return hangs
		}
		d := with(func(d *observation.Document) { d.Sampled.At = wall.Format(time.RFC3339) })
		return run{takes: 100 * ms, output: encoded(t, d)}
	}
	inVirtualTime(t, 900*ms, play, func(b *bench) { // so that one sample starts at 99.9
		b.want(102400*ms, allYes)
		b.want(103100*ms, allNo)
		b.want(114*time.Second, allYes)
		if !slices.Contains(b.script.starts, 99900*ms) {
			b.Errorf("no sample starts at 99.9 s: %v", b.script.starts)
		}
	})
}
