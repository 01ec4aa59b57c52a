package mixin

import "time"

// theProcessor begins the description of everything about one processor. A board
// may have no name, and a process that pushes no instance.
const theProcessor = "Processor {{ $labels.processor }}" +
	"{{ with $labels.board }} of board {{ . }}{{ end }}" +
	"{{ with $labels.instance }} on {{ . }}{{ end }} (job {{ $labels.job }})"

// verdictAlerts repeat the verdicts that are Unhealthy, one alert for each
// reason. The reason comes from the collection that its age comes from: nothing
// is subtracted from now, so the interval of scrapes does not matter.
var verdictAlerts = []alert{
	{
		name: "LivenessProcessorFaulted",
		// The value is the number of faults.
		expr: `
max by (${processor}) (${liveness_processor_faults_total})
and on (${processor})
${now|reason="faulted"}`,
		severity: "critical",
		summary:  "A processor stopped for good.",
		description: theProcessor + " faulted and stopped: fault number {{ $value | humanize }} of this process. " +
			"Nothing restarts it but its supervisor or a restart of the process. The cause is in the log.",
	},
	{
		name: "LivenessProcessorStale",
		// The value is the age of the last beat, or the threshold that it passed
		// where no age is exported.
		expr: `
(
  max by (${processor}) (${liveness_processor_heartbeat_age_seconds})
  or
  max by (${processor}) (${liveness_processor_staleness_threshold_seconds})
)
and on (${processor})
${now|reason="stale"}`,
		holds:    30 * time.Second,
		severity: "critical",
		summary:  "A processor has stopped beating.",
		description: theProcessor + " runs and has not beaten for {{ $value | humanizeDuration }}, " +
			"longer than its threshold: it is possibly wedged.",
	},
	{
		name: "LivenessProcessorStuck",
		// The value is the age of the unit of work, or the threshold of beats
		// where none is exported.
		expr: `
(
  max by (${processor}) (${liveness_processor_busy_age_seconds})
  or
  max by (${processor}) (${liveness_processor_staleness_threshold_seconds})
)
and on (${processor})
${now|reason="stuck"}`,
		severity: "critical",
		summary:  "A processor is stuck in one unit of work.",
		description: theProcessor + " has been busy with one unit of work for {{ $value | humanizeDuration }}, " +
			"longer than its limit.",
	},
	{
		name: "LivenessProcessorNeverStarted",
		expr: `
max by (${processor}) (${liveness_processor_reason|reason="never_started"})
and on (${processor})
${now|reason="never_started"}`,
		severity: "critical",
		summary:  "A processor was registered and never started.",
		description: theProcessor + " was registered, and has reported nothing within the time in which it had to start " +
			"(or a worker of its pool has not).",
	},
	{
		name: "LivenessProcessorCrashLooping",
		// increase extrapolates to the ends of the window: two faults may read
		// 2.07 or 1.97. It adds up across resets, so a restarted process counts
		// on. A fault that was followed by no start is LivenessProcessorFaulted.
		expr: `
round(sum by (${processor}) (increase(${liveness_processor_faults_total}[${CrashWindow}]))) >= ${CrashFaults}
and
round(sum by (${processor}) (increase(${liveness_processor_starts_total}[${CrashWindow}]))) > 0`,
		severity: "warning",
		summary:  "A processor faults again and again.",
		description: theProcessor + " faulted {{ $value | humanize }} times within <CrashWindow>, " +
			"and was started again in between.",
	},
	{
		name: "LivenessProcessorOrphaned",
		// Replicas that stopped, or wait without having said a word, do not do
		// the work either. The value is the number of those on standby.
		expr: `
count by (job, board, processor) ${now|reason="standby"}
unless on (job, board, processor)
${now|reason!~"standby|stopped|unreported"}`,
		holds:    2 * time.Minute,
		severity: "critical",
		summary:  "Every replica of a processor is on standby.",
		description: "Nobody runs processor {{ $labels.processor }}{{ with $labels.board }} of board {{ . }}{{ end }} " +
			"of job {{ $labels.job }}: {{ $value | humanize }} of its replicas are on standby, and no other one is at work. " +
			"Who holds the lease?",
	},
}
