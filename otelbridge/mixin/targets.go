package mixin

import "time"

// targetAlerts are about the way from the program to Prometheus. All others
// depend on it: an alert on a value resolves when the value is gone.
var targetAlerts = []alert{
	{
		name:        "LivenessTargetDown",
		expr:        `min by (${target}) (${up}) == 0${expected}`,
		holds:       time.Minute,
		severity:    "critical",
		summary:     "A program cannot be scraped.",
		description: "{{ $labels.instance }} (job {{ $labels.job }}) does not answer scrapes: it is dead, hangs, or cannot be reached. No other alert can say anything of its processors.",
	},
	{
		name: "LivenessJobAbsent",
		// Where metrics are pushed there is no up, and the values themselves
		// stand for it.
		expr: `
absent(${anyup})
and on ()
absent(${liveness_board_observed_timestamp_seconds})
and on ()
absent(${health_tier_checks})
and on ()
absent(${redundancy_observed_timestamp_seconds})
and on ()
absent(${resubscribe_in_flight})`,
		holds:       5 * time.Minute,
		severity:    "critical",
		summary:     "A job has vanished.",
		description: "Nothing of job {{ $labels.job }} is scraped, and nothing of it pushes: not one instance is left, or none is found.",
		needsJob:    true,
	},
	{
		name: "LivenessMetricsMissing",
		expr: `
max by (${target}) (${up}) == 1
unless on (${target})
${liveness_board_observed_timestamp_seconds}
unless on (${target})
${health_tier_checks}
unless on (${target})
${redundancy_observed_timestamp_seconds}
unless on (${target})
${resubscribe_in_flight}${expected}`,
		holds:       5 * time.Minute,
		severity:    "warning",
		summary:     "A program exports no liveness metrics.",
		description: "{{ $labels.instance }} (job {{ $labels.job }}) is scraped and has no liveness metrics: no alert on its processors can fire.",
	},
	{
		name: "LivenessSeriesDropped",
		// The value is the number of hidden series, or of the series that stand
		// for hidden ones where nothing counts those.
		expr: `
max by (${target}) (${liveness_export_dropped_series}) > 0
or
count by (${target}) (${named|otel_metric_overflow="true"})`,
		holds:       5 * time.Minute,
		severity:    "warning",
		summary:     "A limit hides series.",
		description: "{{ $labels.instance }} (job {{ $labels.job }}) exports more series than its meter provider keeps: {{ $value | humanize }} are hidden or folded into one. Processors are missing here that may be faulted.",
	},
	{
		name:        "LivenessObserverLate",
		expr:        `max by (${board}) (${liveness_observer_lateness_seconds}) > ${ObserverLate}`,
		holds:       time.Minute,
		severity:    "warning",
		summary:     "The watching side does not get to run.",
		description: "The monitor{{ with $labels.board }} of board {{ . }}{{ end }} on {{ $labels.instance }} (job {{ $labels.job }}) is {{ $value | humanizeDuration }} late: the process is short of CPU or was frozen. Silence proves nothing meanwhile, so verdicts come late.",
	},
}

// watchdogAlert stands last: it is no trouble.
var watchdogAlert = alert{
	name:     "LivenessWatchdog",
	expr:     `vector(1)`,
	severity: "none",
	summary:  "Alerting works.",
	description: "This alert always fires. Route it to a service that calls when it stops coming: " +
		"then Prometheus, Alertmanager, or the way from one to the other is broken.",
}
