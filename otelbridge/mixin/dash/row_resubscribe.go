package dash

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// ceiling is the age in seconds at which a request is presumed lost, unless
// resubscribe.Config says otherwise.
const ceiling = 45.0

func (s sheet) resubscribe() row {
	const heading = "resubscribepresumedlost"

	sends := s.bars(about{
		"Subscribe requests", "How many requests each guard let through. One for each connection is the rule; many are a gateway that does not answer, or a connection that comes and goes.", heading,
	}).
		Span(8).
		WithTarget(s.rates(since(byGuard, s.onTarget("resubscribe_sends_total")), guardLegend))

	lost := s.bars(about{
		"Presumed lost", "Requests that had no answer up to the ceiling, about when they were given up. More than three within ten minutes are an alert.", heading,
	}).
		Span(8).
		WithTarget(s.rates(since(byGuard, s.onTarget("resubscribe_presumed_lost_total")), guardLegend))

	backoff := s.lines(about{
		"Back-off", "How long each guard waits between requests: by default 5 s when all is well, doubled with each request that brought nothing, up to 60 s.", heading,
	}).
		Span(8).
		Unit("s").Min(0).
		WithTarget(graph(worst(byGuard, s.onTarget("resubscribe_backoff_seconds")), guardLegend))

	inFlight := s.timeline(about{
		"Waiting for an answer", "When each guard had a request in flight. It never has two.", heading,
	}, flights).
		Span(12).
		WithTarget(graph(worst(byGuard, s.onTarget("resubscribe_in_flight")), guardLegend))

	age := s.lines(about{
		"Age of the request in flight", "How long each guard has waited for its answer, when collected. At the ceiling, by default 45 s, the request is presumed lost.", heading,
	}).
		Span(12).Height(9).
		Unit("s").Min(0).
		Thresholds(steps(green, at(ceiling, red))).
		ThresholdsStyle(thresholdLines()).
		WithTarget(graph(worst(byGuard, s.onTarget("resubscribe_oldest_age_seconds")), guardLegend))

	return row{"Resubscribing", []cog.Builder[dashboard.Panel]{sends, lost, backoff, inFlight, age}}
}
