package mixin

import "time"

// progressAlerts are about processors that go round and do not get their work
// done. Lag and position stay exported while a processor is at rest, so each
// rule asks whether it is in play.
var progressAlerts = []alert{
	{
		name: "LivenessProcessorStalled",
		// The position must have been there for the whole window, and there must
		// have been lag in all of it: a first event after a quiet hour is no
		// stall. One unit of work that has gone on for half of the window is
		// left to its limit; shorter ones that are tried again and again are
		// not. The value is the lag.
		expr: `
max by (${processor}) (min_over_time(${liveness_processor_lag}[${StalledAfter}])) > 0
and on (${processor})
max by (${processor}) (changes(${liveness_processor_position}[${StalledAfter}])) == 0
and on (${processor})
${liveness_processor_position} offset ${StalledAfter}
and on (${processor})
${now|reason=~"` + inPlay + `"}
unless on (${processor})
max by (${processor}) (${liveness_processor_busy_age_seconds}) > ${HalfStalledAfter}`,
		holds:    5 * time.Minute,
		severity: "warning",
		summary:  "A processor goes round and gets nowhere.",
		description: theProcessor + " has not moved its position for <StalledAfter>, and was at least " +
			"{{ $value | humanize }} events behind all the time.",
	},
	{
		name: "LivenessProcessorLagging",
		expr: `
max by (${processor}) (${liveness_processor_lag})
>
max by (${processor}) (${liveness_processor_lag_threshold})
and on (${processor})
${now|reason=~"` + inPlay + `"}
unless on (${processor})
max by (${processor}) (${liveness_processor_rebuilding}) == 1`,
		holds:    10 * time.Minute,
		severity: "warning",
		summary:  "A processor is far behind.",
		description: theProcessor + " is {{ $value | humanize }} events behind, " +
			"and has been beyond its threshold for a while.",
	},
	{
		name: "LivenessProcessorLagGrowing",
		// A lag that was zero in the window is one that is worked off. The value
		// is in events a second.
		expr: `
max by (${processor}) (deriv(${liveness_processor_lag}[${LagWindow}])) > ${LagGrowth}
and on (${processor})
max by (${processor}) (min_over_time(${liveness_processor_lag}[${LagWindow}])) > 0
and on (${processor})
${now|reason=~"` + inPlay + `"}`,
		holds:    15 * time.Minute,
		severity: "info",
		summary:  "A processor falls further and further behind.",
		description: theProcessor + " falls behind by {{ $value | humanize }} events a second, " +
			"and did not catch up once within <LagWindow>.",
	},
}
