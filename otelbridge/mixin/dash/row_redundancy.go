package dash

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// staleSnapshot is the age in seconds from which on a snapshot is stale, unless
// redundancy.LevelPolicy says otherwise.
const staleSnapshot = 30.0

func (s sheet) redundancy() row {
	level := s.lines(about{
		"Service level", "What each node shows to clients, who take the highest: by default 250 for the active node, 240 for one that stands by, 200 when it knows old things only, 100 without its database or its endpoint, 0 when it is down.", "redundancyservicelevelflapping",
	}).
		Span(12).Height(9).
		Unit("none").Min(0).Max(255).Decimals(0).
		WithTarget(graph(worst(byTarget, s.onTarget("redundancy_service_level")), nodeLegend))

	role := s.timeline(about{
		"Roles over time", "What each node goes by. One is the primary at any time; one that does not know its role denies, unless it is alone.", "redundancynoprimary",
	}, roles).
		Span(12).
		WithTarget(graph(s.role(), nodeLegend))

	denied := s.bars(about{
		"Denials", "Operations that the primary gate denied, by site and reason. Those of a secondary are its work; those for want of a role end with the first snapshot.", "redundancybootwindowstuck",
	}).
		Span(8).
		WithTarget(s.rates(since(byTarget+", site, reason", s.onTarget("redundancy_primary_gate_denied_total")), "{{site}} {{reason}} "+nodeLegend))

	age := s.lines(about{
		"Age of the snapshot", "How long ago each node took in the newest snapshot of the roles, when collected. They come every ten seconds; past 30 the level falls to 200.", "redundancynoprimary",
	}).
		Span(8).
		Unit("s").Min(0).
		Thresholds(steps(green, at(staleSnapshot, red))).
		ThresholdsStyle(thresholdLines()).
		WithTarget(graph(worst(byTarget, s.onTarget("redundancy_snapshot_age_seconds")), nodeLegend))

	probes := s.bars(about{
		"Probes of peers", "How each node's tries to reach the endpoints of its peers ended. A peer that some cannot reach, and nobody can, shows 100.", "redundancyservicelevelflapping",
	}).
		Span(8).
		WithTarget(s.rates(since(byTarget+", peer, outcome", s.onTarget("redundancy_peer_probe_total")), "{{peer}} {{outcome}} from "+nodeLegend))

	changes := s.bars(about{
		"Changes of the level", "How often each level was reached, about when it was.", "redundancyservicelevelflapping",
	}).
		Span(12).
		WithTarget(s.rates(since(byTarget+", level", s.onTarget("redundancy_service_level_change_total")), "to {{level}} "+nodeLegend))

	ignored := s.bars(about{
		"Ignored messages and failed calls", "Old is the ordinary one: what comes twice. Garbage, version and stranger are messages of somebody else; failure is a call of the bus, a prober or a publisher.", "redundancybootwindowstuck",
	}).
		Span(12).
		WithTarget(s.rates(since(byTarget+", kind", s.onTarget("redundancy_ignored_total")), "{{kind}} "+nodeLegend))

	return row{"Redundancy", []cog.Builder[dashboard.Panel]{level, role, denied, age, probes, changes, ignored}}
}

// role is the number of each node's role.
func (s sheet) role() string {
	return worst(byTarget, coded(roles, func(text string) string {
		return s.onTarget("redundancy_role", fmt.Sprintf("role=%q", text))
	}))
}
