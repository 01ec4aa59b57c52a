package adapter

import (
	"errors"
	"testing"

	local "github.com/loopvitals/loopvitals/tiers/adapter/internal/loopback"
)

// counted is a server that has done something.
type counted struct {
	silent
	counters local.Counters
}

func (c *counted) Counters() local.Counters { return c.counters }

// TestUsageTellsWhatWasServed has each number of the server under its own name.
func TestUsageTellsWhatWasServed(t *testing.T) {
	a := newAdapter(testConfig())
	a.server = &counted{counters: local.Counters{
		Accepted: 1, ForeignPeers: 2, Evicted: 3, Expired: 4, Starved: 5, Paused: 6,
		Answered: map[int]uint64{200: 10, 404: 100, 503: 1000},
	}}
	u := a.Usage()
	for name, c := range map[string]struct{ got, want uint64 }{
		"connections":   {u.Connections, 1},
		"foreign peers": {u.ForeignPeers, 2},
		"evicted":       {u.Evicted, 3},
		"expired":       {u.Expired, 4},
		"answered":      {u.Answered, 1110},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}

// TestUsageTellsWhatFailed counts as failed what brought no document of the node, or
// an old one. What the node says of itself is no failure of a sample.
func TestUsageTellsWhatFailed(t *testing.T) {
	for name, c := range map[string]struct {
		run    run
		failed uint64
	}{
		"healthy":      {run{output: encoded(t, healthy())}, 0},
		"full":         {run{output: encoded(t, with(full))}, 0},
		"sick":         {run{output: encoded(t, with(sick))}, 0},
		"just in time": {run{output: encoded(t, with(aged(3000)))}, 0},
		"stale":        {run{output: encoded(t, with(aged(3001)))}, 1},
		"another node": {run{output: encoded(t, with(other))}, 1},
		"no document":  {run{output: []byte("{}")}, 1},
		"no command":   {run{err: errors.New("exit status 1")}, 1},
		"too late":     {hangs, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 0, always(c.run), func(b *bench) {
				b.until(maxTimeout)
				if u := b.Usage(); u.Samples == 0 || u.Failed != u.Samples*c.failed {
					b.Errorf("%d of %d samples failed", u.Failed, u.Samples)
				}
			})
		})
	}
}
