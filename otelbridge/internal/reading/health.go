package reading

import (
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/tiers"
)

// KnownTiers are the tiers that can be told of, in the order of their names.
var KnownTiers = [...]tiers.Tier{tiers.Active, tiers.Ready, tiers.Startup, tiers.Wedged}

// Tier is one tier as it was evaluated last.
type Tier struct {
	Index  int // in KnownTiers
	Checks int // on the tier
	Shown  int // the status, or that it is unknown: an index of catalogue.StatusWords
}

// Check is one check as it was run last, and what the exporter prepared for it.
type Check[C any] struct {
	tiers.CheckState
	Shown    int // the status, or that it is unknown: an index of catalogue.StatusWords
	Prepared C
}

// health is a tier set with what was prepared for its checks.
type health[C any] struct {
	set      *tiers.Set
	prepare  func(c *tiers.CheckState) C
	prepared cache[C]
}

// readTiers appends the tiers as they are known, in the order of their names. It
// evaluates none.
func (h *health[C]) readTiers(known []Tier) []Tier {
	states := h.set.TierStates()
	for i, tier := range KnownTiers {
		for _, t := range states {
			if t.Tier == tier {
				known = append(known, Tier{Index: i, Checks: t.Checks, Shown: shown(t.Status, t.Known)})
			}
		}
	}
	return known
}

// readChecks appends the checks as they are known. It runs none.
func (h *health[C]) readChecks(known []Check[C]) []Check[C] {
	w := h.prepared.walk()
	for _, c := range h.set.CheckStates() {
		known = append(known, Check[C]{
			CheckState: c,
			Shown:      shown(c.Status, c.Known),
			Prepared:   w.find(c.Name, func(string) C { return h.prepare(&c) }),
		})
	}
	w.end()
	return known
}

// shown is what is told of a status: that it is not known, or else the status.
func shown(s check.Status, known bool) int {
	if !known {
		return catalogue.Unknown
	}
	return int(s.Known())
}
