package adapter

import (
	"slices"
	"testing"
	"time"
)

// The times of an adapter that is stricter than it must be, each another than its
// default.
const (
	ownTimeout    = 200 * ms
	ownPause      = 100 * ms
	ownMaximumAge = 500 * ms
)

// ownTimes sets them. The script plays the runner, which has a time of its own.
func ownTimes(b *bench) {
	b.config.Timeout, b.config.Pause, b.config.MaximumAge = ownTimeout, ownPause, ownMaximumAge
	b.script.timeout = ownTimeout
}

// TestOwnPause has samples follow each other after the pause that was set.
func TestOwnPause(t *testing.T) {
	output := encoded(t, healthy())
	runs := []run{{takes: 0, output: output}, {takes: 150 * ms, output: output}, hangs, {output: output}}
	inVirtualTime(t, 0, played(runs...), func(b *bench) {
		b.until(time.Second)
		want := []time.Duration{0, 100 * ms, 350 * ms, 650 * ms, 750 * ms, 850 * ms, 950 * ms}
		if !slices.Equal(b.script.starts, want) {
			b.Errorf("samples start at %v, want %v", b.script.starts, want)
		}
	}, ownTimes)
}

// TestOwnMaximumAge has a success served until it is as old as was set, and facts that
// are older when they come not at all, to the nanosecond.
func TestOwnMaximumAge(t *testing.T) {
	good := run{takes: 100 * ms, output: encoded(t, healthy())}
	endless := func(b *bench) { b.script.timeout = time.Hour }
	inVirtualTime(t, 0, played(good, hangs), func(b *bench) {
		b.want(100*ms, allYes)
		b.want(500*ms, allYes)
		b.want(500*ms+1, allNo)
	}, ownTimes, endless)

	bound := run{takes: 100 * ms, output: encoded(t, with(aged(400)))}
	stale := run{takes: 100 * ms, output: encoded(t, with(aged(401)))}
	inVirtualTime(t, 0, played(bound, stale, hangs), func(b *bench) {
		b.want(100*ms, allYes)
		b.want(100*ms+1, allNo)
		b.want(300*ms, allNo)
		if u := b.Usage(); u.Samples != 2 || u.Failed != 1 {
			b.Errorf("%d samples of which %d failed, want 2 of which 1, the stale one", u.Samples, u.Failed)
		}
	}, ownTimes, endless)
}
