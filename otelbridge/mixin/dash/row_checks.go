package dash

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

func (s sheet) checks() row {
	status := s.timeline(about{
		"Checks over time", "What each check of each tier said when it last ran. Unknown: it never ran, or too long ago.", "when-a-check-fails",
	}, statuses).
		Span(12).
		WithTarget(graph(s.status(byTierCheck, "health_check_status", s.onTarget), tierCheckLegend))

	duration := s.lines(about{
		"Duration", "How long runs took, at most their limit: half, 95% and 99% of them were shorter. All instances together; there is no line while nothing ran.", "slow-dependencies-and-blind-spots-s539",
	}).
		Span(12).Height(9).
		Unit("s").Min(0)
	for _, q := range []string{"0.5", "0.95", "0.99"} {
		duration.WithTarget(s.quantile(q))
	}

	runs := s.bars(about{
		"Runs by outcome", "How often each check ran, and how that ended.", "when-a-check-fails",
	}).
		Span(8).
		WithTarget(s.rates(since("job, check, outcome", s.onTarget("health_check_duration_seconds_count")), "{{check}} {{outcome}}"))

	hung := s.lines(about{
		"Hung runs", "Runs past their limit that have not returned. Each holds one goroutine, and its check runs no more until it returns or is given up.", "when-a-check-fails",
	}).
		Span(8).
		Unit("short").Min(0).Decimals(0).AxisSoftMax(1).
		Thresholds(steps(green, at(1, red))).
		ThresholdsStyle(thresholdLines()).
		WithTarget(graph(worst(byCheck, s.onTarget("health_check_hung")), checkLegend))

	last := s.lines(about{
		"Since the last run", "Time since the newest run with an answer began. It includes the time until the scrape.", "time-limits-and-ages",
	}).
		Span(8).
		Unit("s").Min(0).
		WithTarget(graph("time() - "+worst(byCheck, s.onTarget("health_check_last_run_timestamp_seconds")), checkLegend))

	return row{"Checks", []cog.Builder[dashboard.Panel]{status, duration, runs, hung, last}}
}

// quantile estimates how long the given share of a check's runs took at most.
func (s sheet) quantile(share string) *prometheus.DataqueryBuilder {
	buckets := perSecond("job, check, le", s.onTarget("health_check_duration_seconds_bucket"))
	percent := map[string]string{"0.5": "p50", "0.95": "p95", "0.99": "p99"}[share]
	return s.rates(fmt.Sprintf("histogram_quantile(%s, %s)", share, buckets), percent+" {{check}}")
}
