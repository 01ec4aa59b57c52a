package adapter

import (
	"testing"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// flaws are the ways in which a document can lack something, each alone. The rule
// is stated here once more, in the words of the requirements: what breaks a good
// sample or liveness breaks all; the rest breaks readiness only.
var flaws = []struct {
	name       string
	apply      func(*observation.Document)
	breaksLive bool
}{
	{"another node", other, true}, // S2.3
	{"failed", func(d *observation.Document) { d.Result = observation.Failed }, true},                  // S2.3
	{"no pressure", func(d *observation.Document) { d.Pressure.Available = false }, true},              // S2.3
	{"inventory incomplete", func(d *observation.Document) { d.Inventory.Complete = false }, true},     // S2.3
	{"a listener dead", func(d *observation.Document) { d.Inventory.Listeners[1].Live = false }, true}, // S2.3
	{"unhealthy", sick, true}, // S2.5
	{"not the owner", func(d *observation.Document) { d.Native.Owner = false }, true},                            // S2.5
	{"connections full", full, false},                                                                            // S2.4
	{"exchanges full", func(d *observation.Document) { d.Capacity.Exchanges.InUse = 4 }, false},                  // S2.4
	{"buffers full", func(d *observation.Document) { d.Capacity.Buffers.InUse = 6 }, false},                      // S2.4
	{"not activated", func(d *observation.Document) { d.Activation.Ready = false }, false},                       // S2.4
	{"no listener", func(d *observation.Document) { d.Inventory.Listeners = d.Inventory.Listeners[:0:0] }, true}, // S2.3; last, since it removes the dead one
}

// TestJudgeAllCombinations tries each set of flaws (S2.3, S2.4, S2.5). Readiness
// never goes beyond liveness, and neither beyond the node's own word.
func TestJudgeAllCombinations(t *testing.T) {
	for set := range 1 << len(flaws) {
		d := healthy()
		wantLive, wantReady := true, true
		for i, flaw := range flaws {
			if set&(1<<i) != 0 {
				flaw.apply(&d)
				wantReady = false
				wantLive = wantLive && !flaw.breaksLive
			}
		}
		got := judge(&d, nodeName)
		if got.live != wantLive || got.ready != wantReady || (got.lacks == nothing) != wantReady {
			t.Errorf("flaws %0*b: live %v, ready %v, lacks %q; want live %v, ready %v",
				len(flaws), set, got.live, got.ready, got.lacks, wantLive, wantReady)
		}
	}
}

// TestJudgeNamesTheFlaw has each flaw alone named in the log.
func TestJudgeNamesTheFlaw(t *testing.T) {
	want := []lack{
		lacksIdentity, lacksResult, lacksPressure, lacksInventory, lacksInventory, lacksHealth, lacksOwnership,
		lacksCapacity, lacksCapacity, lacksCapacity, lacksActivation, lacksInventory,
	}
	for i, flaw := range flaws {
		d := with(flaw.apply)
		if got := judge(&d, nodeName).lacks; got != want[i] {
			t.Errorf("%s: lacks %q, want %q", flaw.name, got, want[i])
		}
	}
}

// TestIdentityIsComparedByteByByte has names that only look the same refused.
func TestIdentityIsComparedByteByByte(t *testing.T) {
	for _, name := range []string{"", "Node-a", "node-a ", "node-", "node-aa", "node\u2010a", "\u006eode-\u0430"} {
		d := healthy()
		d.Identity.Node = name
		if judge(&d, nodeName) != (verdict{lacks: lacksIdentity}) {
			t.Errorf("%q passes for %q", name, nodeName)
		}
	}
}

// TestCapacityBounds tries each kind of capacity at its limit, and one on either
// side: what is in use may be above the limit, and a limit of 0 is nothing to spare.
func TestCapacityBounds(t *testing.T) {
	kinds := map[string]func(*observation.Capacity) *observation.Use{
		"connections": func(c *observation.Capacity) *observation.Use { return &c.Connections },
		"exchanges":   func(c *observation.Capacity) *observation.Use { return &c.Exchanges },
		"buffers":     func(c *observation.Capacity) *observation.Use { return &c.Buffers },
	}
	for name, kind := range kinds {
		for _, c := range []struct {
			inUse, limit int64
			ready        bool
		}{
			{0, 1, true},
			{9, 10, true},
			{10, 10, false},
			{11, 10, false},
			{0, 0, false},
			{1, 0, false},
			{0, 1<<53 - 1, true},
			{1<<53 - 2, 1<<53 - 1, true},
			{1<<53 - 1, 1<<53 - 1, false},
		} {
			d := healthy()
			*kind(&d.Capacity) = observation.Use{InUse: c.inUse, Limit: c.limit}
			if got := judge(&d, nodeName); !got.live || got.ready != c.ready {
				t.Errorf("%s %d of %d: live %v, ready %v; want live, and ready %v", name, c.inUse, c.limit, got.live, got.ready, c.ready)
			}
		}
	}
}
