package dash

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func (s sheet) faults() row {
	faults := s.bars(about{
		"Faults", "Incarnations that gave up for good, about when they did. The cause is in the log.", "faulted",
	}).
		Span(12).
		WithTarget(s.rates(since(byProcessor, s.onProcessor("liveness_processor_faults_total")), processorLegend))

	starts := s.bars(about{
		"Starts", "Incarnations that began to report. Many of them, with as many faults: it crashes in a loop.", "faulted",
	}).
		Span(12).
		WithTarget(s.rates(since(byProcessor, s.onProcessor("liveness_processor_starts_total")), processorLegend))

	return row{"Faults and starts", []cog.Builder[dashboard.Panel]{faults, starts}}
}
