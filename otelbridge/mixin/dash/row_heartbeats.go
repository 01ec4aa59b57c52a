package dash

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func (s sheet) heartbeats() row {
	share := s.lines(about{
		"Age against threshold", "Age of the last beat as a share of the processor's own threshold, while a beat must follow. Past 100% it is stale.", "stale",
	}).
		Span(8).
		Unit("percentunit").Min(0).AxisSoftMax(1.2).
		Thresholds(shareSteps()).
		ThresholdsStyle(thresholdLines()).
		WithTarget(graph(s.ageShare(), processorLegend))

	beats := s.lines(about{
		"Beats per second", "Beats of each processor, those of its workers included.", "metrics",
	}).
		Span(8).
		Unit("cps").Min(0).
		WithTarget(s.rates(perSecond(byProcessor, s.onProcessor("liveness_processor_heartbeats_total")), processorLegend))

	busy := s.lines(about{
		"Time in one unit of work", "How long the unit of work in progress goes on without a beat. Past its limit the processor is stuck. Points: most units end between two samples.", "stuck",
	}).
		Span(8).
		Unit("s").Min(0).
		ShowPoints(common.VisibilityModeAlways).
		WithTarget(graph(worst(byProcessor, s.onProcessor("liveness_processor_busy_age_seconds")), processorLegend))

	return row{"Heartbeats", []cog.Builder[dashboard.Panel]{share, beats, busy}}
}

// ageShare is each age divided by its own threshold.
func (s sheet) ageShare() string {
	return fmt.Sprintf("%s / %s",
		worst(byProcessor, s.onProcessor("liveness_processor_heartbeat_age_seconds")),
		worst(byProcessor, s.onProcessor("liveness_processor_staleness_threshold_seconds")))
}

func shareSteps() *dashboard.ThresholdsConfigBuilder {
	return steps(green, at(0.8, orange), at(1, red))
}
