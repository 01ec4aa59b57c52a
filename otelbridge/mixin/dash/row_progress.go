package dash

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func (s sheet) progress() row {
	lag := s.lines(about{
		"Lag", "Events behind the head, as last reported. Dashed: the lag past which a processor that is no rebuild is Degraded.", "lagging",
	}).
		Span(8).
		Unit("short").Min(0).
		WithTarget(graph(worst(byProcessor, s.onProcessor("liveness_processor_lag")), processorLegend)).
		WithTarget(graph(worst(byProcessor, s.onProcessor("liveness_processor_lag_threshold")), "threshold of "+processorLegend)).
		OverrideByRegexp("/^threshold of /", []dashboard.DynamicConfigValue{
			{Id: "custom.lineStyle", Value: map[string]any{"fill": string(common.LineStyleFillDash), "dash": []int{8, 8}}},
			{Id: "custom.fillOpacity", Value: 0},
		})

	rate := s.lines(about{
		"Events per second", "How fast the position in the input moves. Below zero: it was set back.", "stalled",
	}).
		Span(8).
		Unit("cps").
		WithTarget(s.rates(slope(byProcessor, s.onProcessor("liveness_processor_position")), processorLegend))

	until := s.lines(about{
		"Time to catch up", "Lag divided by the speed at which it shrinks. There is no line while it does not shrink: it would never be done.", "lagging",
	}).
		Span(8).
		Unit("s").Min(0).
		WithTarget(s.rates(s.catchUp(), processorLegend))

	return row{"Progress", []cog.Builder[dashboard.Panel]{lag, rate, until}}
}

func (s sheet) catchUp() string {
	lag := s.onProcessor("liveness_processor_lag")
	return fmt.Sprintf("%s / -(%s < 0)", worst(byProcessor, lag), slope(byProcessor, lag))
}
