package dash

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func (s sheet) now() row {
	tiers := s.figure(about{
		"Tiers", "What each instance answers on each tier, as last evaluated. Unknown: never asked, or too long ago; start Set.Run to keep tiers fresh.", "tiers",
	}).
		Span(9).
		Mappings(mapping(statuses)).
		TextMode(common.BigValueTextModeValueAndName).
		WithTarget(latest(s.status(byTier, "health_tier_status", s.onTarget), tierLegend))

	unhealthy := s.count(about{
		"Unhealthy", "Processors that are faulted, stale, stuck or never started.", "reasons",
	}, "unhealthy", at(1, red))

	degraded := s.count(about{
		"Degraded", "Processors that work, but stall, starve or lag, or are observed too late to tell.", "reasons",
	}, "degraded", at(1, orange))

	oldest := s.figure(about{
		"Oldest age", "Age of the oldest beat that another must follow. Compare it with the threshold of its processor, not with a number.", "time-limits-and-ages",
	}).
		Span(3).
		Unit("s").
		Thresholds(steps(blue)).
		WithTarget(latest(fmt.Sprintf("max(%s)", s.onBoard("liveness_board_oldest_age_seconds")), "oldest"))

	nearest := s.figure(about{
		"Nearest to its threshold", "The greatest age as a share of its own threshold. Past 100% the processor is stale.", "stale",
	}).
		Span(3).
		Unit("percentunit").Decimals(0).
		Thresholds(shareSteps()).
		WithTarget(latest(fmt.Sprintf("max(%s)", s.ageShare()), "nearest"))

	fresh := s.figure(about{
		"Age of the values", "How long ago the oldest values of this page were read. Behind a push it grows when a process dies, while all its other values stay as they were.", "metrics",
	}).
		Span(3).
		Unit("s").Decimals(0).
		Thresholds(steps(green, at(60, orange), at(silentAfter, red))).
		WithTarget(latest(fmt.Sprintf("max(%s)", s.valueAge()), "oldest"))

	return row{"Now", []cog.Builder[dashboard.Panel]{tiers, unhealthy, degraded, oldest, nearest, fresh}}
}

// count is the number of processors with a status, on all boards together.
func (s sheet) count(a about, status string, from dashboard.Threshold) cog.Builder[dashboard.Panel] {
	each := worst(byBoard, s.onBoard("liveness_board_processors", fmt.Sprintf("status=%q", status)))
	return s.figure(a).
		Span(3).
		Thresholds(steps(green, from)).
		WithTarget(latest(fmt.Sprintf("sum(%s)", each), status))
}
