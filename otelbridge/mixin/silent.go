package mixin

import "time"

// silentAlert finds the processors from which nothing comes any more although
// no verdict says so.
//
// The first half is for processes that push. Their last values stay, and look
// healthy, for the five minutes in which Prometheus looks back; after that there
// is nothing. So the time of the newest values is looked up in a longer window,
// and compared with now. Only processors count that were at work in those newest
// values: one that said goodbye (stopped) or was waiting for a lease is not
// missed. The values of one push were read before their samples were stamped, so
// no more is allowed for than the rounding of stamps to milliseconds: with half a
// second, a process that ends well so shortly after a regular push would be
// missed. Whatever has an up series is scraped, and up tells of its death.
//
// The second half is for a process that goes on exporting and whose verdict does
// not see that a beat is overdue. Here too only the newest values count, or a
// processor that went from Running to Idle would seem silent. Whether a process
// that no longer pushes is missed is for the first half alone to say.
//
// The value is the length of the silence.
var silentAlert = alert{
	name: "LivenessProcessorSilent",
	expr: `
(
    0 * (
        max by (${processor}) (
          max_over_time(timestamp(${liveness_processor_reason|reason!~"` + atRest + `"})[${SilentWindow}:1m])
        )
      >= on (${board}) group_left ()
        max by (${board}) (last_over_time(${liveness_board_observed_timestamp_seconds}[${SilentWindow}])) - 0.001
    )
  + on (${board}) group_left ()
    (
      time() - max by (${board}) (last_over_time(${liveness_board_observed_timestamp_seconds}[${SilentWindow}]))
      > ${SilentAfter}
    )
  unless on (${target})
    last_over_time(${anyup}[${SilentWindow}])
)
or
(
    time() - max by (${processor}) (${liveness_processor_last_heartbeat_timestamp_seconds})
  >
    max by (${processor}) (${liveness_processor_staleness_threshold_seconds}) + ${SilentAfter}
  and on (${board})
    (time() - max by (${board}) (${liveness_board_observed_timestamp_seconds}) <= ${SilentAfter})
  and on (${processor})
    (
        max by (${processor}) (timestamp(${liveness_processor_last_heartbeat_timestamp_seconds}))
      >= on (${board}) group_left ()
        max by (${board}) (timestamp(${liveness_board_observed_timestamp_seconds})) - 0.5
    )
  unless on (${processor})
    max by (${processor}) (${liveness_processor_status|status="unhealthy"}) == 1
)`,
	holds:    time.Minute,
	severity: "critical",
	summary:  "Nothing has been heard of a processor.",
	description: theProcessor + " was at work when it was last heard of, {{ $value | humanizeDuration }} ago. " +
		"If its metrics are pushed, its process is gone or cannot reach the receiver.",
}
