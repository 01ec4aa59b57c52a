package tiers

import (
	"fmt"
	"strings"
)

// Tier is one question that is asked of the process from outside.
type Tier string

// The tiers, in the order in which they are mounted and listed (S1.7). Startup
// and Wedged are opt-in.
const (
	// Ready asks whether this node can serve its dependencies. A 503 takes it
	// out of load balancing (S1.3).
	Ready Tier = TagReady
	// Active asks whether this is the node that does the work. A 503 sends the
	// traffic to its peer (S1.4).
	Active Tier = TagActive
	// Live asks whether the process can answer HTTP at all. It takes no checks
	// and is always 200 (S1.5).
	Live Tier = TagLive
	// Startup asks whether the process has been ready once and is in health now
	// (X3, S2.6). See Set.AddStartup.
	Startup Tier = "startup"
	// Wedged asks whether an orchestrator should restart the process (X3). See
	// Set.AddWedged.
	Wedged Tier = "wedged"
)

// The tags by which a check is put on tiers (S1.2). TagLive exists to be
// refused: a check on the live tier would turn an outage of a dependency into
// a restart storm (S1.6). The opt-in tiers' names are tags, too.
const (
	TagReady  = "ready"
	TagActive = "active"
	TagLive   = "live"
)

// order is the fixed order of the tiers (S1.7); a tier's place in it is its bit
// in a tierMask.
var order = [...]Tier{Ready, Active, Live, Startup, Wedged}

// tierMask is a set of tiers, one bit for each.
type tierMask uint8

// index returns the tier's place in order, or -1 for a tier there is not.
func (t Tier) index() int {
	for i, known := range order {
		if t == known {
			return i
		}
	}
	return -1
}

func (t Tier) mask() tierMask { return 1 << t.index() }

func (m tierMask) has(t Tier) bool { return m&t.mask() != 0 }

// list returns the tiers of m in their fixed order.
func (m tierMask) list() []Tier {
	tiers := make([]Tier, 0, len(order))
	for _, t := range order {
		if m.has(t) {
			tiers = append(tiers, t)
		}
	}
	return tiers
}

// parseTags turns tags into the tiers they name. Every refusal lists the tags
// that would have been taken (S1.6).
func parseTags(tags []string) (tierMask, error) {
	if len(tags) == 0 {
		return 0, fmt.Errorf("%w: none given: known tags are %s", ErrInvalidTag, knownTags())
	}
	var mask tierMask
	for _, tag := range tags {
		switch t := Tier(tag); {
		case t == Live:
			return 0, fmt.Errorf("%w %.200q: the live tier takes no checks: known tags are %s", ErrInvalidTag, tag, knownTags())
		case t.index() < 0:
			return 0, fmt.Errorf("%w %.200q: unknown: known tags are %s", ErrInvalidTag, tag, knownTags())
		default:
			mask |= t.mask()
		}
	}
	return mask, nil
}

// knownTags lists the tags that a check may carry.
func knownTags() string {
	tags := make([]string, 0, len(order))
	for _, t := range order {
		if t != Live {
			tags = append(tags, string(t))
		}
	}
	return strings.Join(tags, ", ")
}
