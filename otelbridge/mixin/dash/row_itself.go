package dash

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

const (
	lateAfter   = 2.0   // seconds, as in the alert LivenessObserverLate
	silentAfter = 120.0 // seconds, as in the alert LivenessProcessorSilent
)

func (s sheet) itself() row {
	late := s.lines(about{
		"Observer lateness", "How late the watching side last was. While it is late, silence proves nothing: verdicts say observer_late instead of stale.", "observer_late",
	}).
		Span(6).
		Unit("s").Min(0).
		Thresholds(steps(green, at(lateAfter, red))).
		ThresholdsStyle(thresholdLines()).
		WithTarget(graph(worst(byBoard, s.onBoard("liveness_observer_lateness_seconds")), boardLegend))

	events := s.bars(about{
		"Internal events", "What the library refused, corrected or lost: refused registrations, clamped lags, dropped transitions.", "metrics",
	}).
		Span(6).
		WithTarget(s.rates(since(byBoard+", kind", s.onBoard("liveness_internal_events_total")), "{{kind}} "+boardLegend))

	dropped := s.lines(about{
		"Dropped series", "Series that the exporter's limit hides. Above zero: raise the cardinality limit of the meter provider.", "metrics",
	}).
		Span(6).
		Unit("short").Min(0).Decimals(0).AxisSoftMax(1).
		Thresholds(steps(green, at(1, red))).
		ThresholdsStyle(thresholdLines()).
		WithTarget(graph(worst(byTarget, s.onTarget("liveness_export_dropped_series")), "{{instance}}"))

	age := s.lines(about{
		"Age of the values", "How long ago the values were read. A scrape adds up to its interval; past that the process no longer tells anything.", "metrics",
	}).
		Span(6).
		Unit("s").Min(0).
		Thresholds(steps(green, at(silentAfter, red))).
		ThresholdsStyle(thresholdLines()).
		WithTarget(graph(s.valueAge(), boardLegend))

	return row{"The library itself", []cog.Builder[dashboard.Panel]{late, events, dropped, age}}
}

// valueAge is how long ago each board, and each node of a program without boards,
// was read. The dashboard may subtract a timestamp from now, which an alert on
// heartbeats may not: here the time until the scrape belongs to the answer.
func (s sheet) valueAge() string {
	return fmt.Sprintf("time() - (%s or on (%s) %s)",
		worst(byBoard, s.onBoard("liveness_board_observed_timestamp_seconds")),
		byTarget, worst(byTarget, s.onTarget("redundancy_observed_timestamp_seconds")))
}
