package mixin

// resubscribeAlerts are about the guards of subscriptions. One lost request is what
// guards are for; many in a row say that the other side does not answer.
var resubscribeAlerts = []alert{{
	name: "ResubscribePresumedLost",
	// The difference of two samples is exact where increase extrapolates: in a
	// process that is young, three losses count as six. After a restart, which is
	// what an orchestrator does to a consumer without data, only increase adds up
	// what was lost before and since; there at least no fraction counts. The value
	// is the number of requests.
	expr: `
sum by (job, instance, guard) (
    max_over_time(${resubscribe_presumed_lost_total}[${LostWindow}])
  -
    min_over_time(${resubscribe_presumed_lost_total}[${LostWindow}])
  unless
    resets(${resubscribe_presumed_lost_total}[${LostWindow}]) > 0
  or
    floor(increase(${resubscribe_presumed_lost_total}[${LostWindow}]))
) > ${LostRequests}`,
	severity: "warning",
	summary:  "Subscribe requests are not answered.",
	description: "Guard {{ $labels.guard }}" + theNodeItself + " presumed {{ $value | humanize }} subscribe requests lost within <LostWindow>: " +
		"the other side accepts them and does not answer, or its answers do not arrive. What they were to subscribe has no data.",
}}
