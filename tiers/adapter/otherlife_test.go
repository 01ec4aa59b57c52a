package adapter

import (
	"testing"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// TestAnotherLifeNeedNotBeLive to open the latch: a node that was started anew, and
// fails, has lost what the old one had become (S2.6). The old one coming back, such as
// when two are behind one command by turns, is seen as a start too.
func TestAnotherLifeNeedNotBeLive(t *testing.T) {
	says := func(changes ...func(*observation.Document)) run {
		return run{takes: 100 * ms, output: encoded(t, with(changes...))}
	}
	for name, flaw := range map[string]func(*observation.Document){
		"sick":        sick,
		"failed":      func(d *observation.Document) { d.Result = observation.Failed },
		"no pressure": func(d *observation.Document) { d.Pressure.Available = false },
		"not owner":   func(d *observation.Document) { d.Native.Owner = false },
	} {
		t.Run(name, func(t *testing.T) {
			same, another := says(flaw), says(flaw, life("life-2"))
			inVirtualTime(t, 0, played(says(), same, says(full), another, says(full)), func(b *bench) {
				b.want(100*ms, allYes)
				b.want(1200*ms, allNo)
				b.want(2300*ms, answers{startup: true, live: true}) // its own flaw opens nothing
				b.want(3400*ms, allNo)
				b.want(4500*ms, answers{live: true})
			})
		})
	}
}
