package mixin

import "time"

// redundancyAlerts are about warm nodes. All instances of a job are taken for one
// cluster: nothing in the metrics tells two apart.
//
// A node that was killed is what these rules have to live with. Behind a push its
// last role stays for five minutes, and even a scrape shows it for one interval
// more while its successor is shown already. So each asks for nodes that are
// heard of, see maker.told.
var redundancyAlerts = []alert{
	{
		name: "RedundancyNoPrimary",
		// A primary that cannot be seen, as it is not scraped, is none that is
		// missing: another node is secondary to it by a snapshot that is fresh.
		// But one that is seen and does not know its role may be just the one
		// that the snapshot names.
		expr: `
sum by (job) (
  ${told|role="primary"}
) == 0
unless on (job)
(
    (
      ${told|role="secondary"}
    ) == 1
  and on (job, instance)
    max by (job, instance) (${redundancy_snapshot_age_seconds}) <= 30
  unless on (job)
    (
      ${told|role="unknown"}
    ) == 1
)`,
		holds:    time.Minute,
		severity: "critical",
		summary:  "No node is the primary.",
		description: "None of the nodes of job {{ $labels.job }} is the primary: nobody writes to what they share, " +
			"and no alarm goes out.",
	},
	{
		name: "RedundancyDualPrimary",
		// A node counts that was the primary at a moment a while ago and was read
		// again since, still as the primary: so it was that at that moment, too,
		// and so was each of the others. The last value of one that was killed is
		// never followed by another. The value is the number of primaries.
		expr: `
count by (job) (
    max by (job, instance) (${redundancy_role|role="primary"}) == 1
  and on (job, instance)
    max by (job, instance) (${redundancy_role|role="primary"} offset ${HeardBefore}) == 1
  and on (job, instance)
    (
        max by (job, instance) (${redundancy_observed_timestamp_seconds})
      !=
        max by (job, instance) (${redundancy_observed_timestamp_seconds} offset ${HeardBefore})
    )
) > 1`,
		holds:    30 * time.Second,
		severity: "critical",
		summary:  "Two nodes are the primary.",
		description: "{{ $value | humanize }} nodes of job {{ $labels.job }} are the primary at the same time: " +
			"each of them may write to what they share.",
	},
	{
		name: "RedundancyBootWindowStuck",
		// The role ends the alert, and not the window of the increase, which is
		// long enough for two samples of any interval. Alone a node serves, or is
		// without its engine, for which RedundancyNoPrimary is. The value is the
		// number of denials.
		expr: `
round(sum by (job, instance) (increase(${redundancy_primary_gate_denied_total|reason="role-unknown"}[5m]))) > 0
and on (job, instance)
(
  ${told|role="unknown"}
) == 1
and on (job)
count by (job) (
  ${told|role="unknown"}
) > 1`,
		holds:    2 * time.Minute,
		severity: "warning",
		summary:  "A node does not learn its role.",
		description: theNode + " does not know its role, although it has peers, and has denied {{ $value | humanize }} " +
			"operations for that within 5 minutes. Snapshots do not reach it, or do not mention it.",
	},
	{
		name: "RedundancyServiceLevelFlapping",
		// The difference of two samples is exact where increase extrapolates: a
		// boot is five changes at most, and its extrapolation seven. A restart
		// sets the counters back; its climb counts as no flapping, and a loop of
		// them is for others to tell. The value is the number of changes.
		expr: `
sum by (job, instance) (
    max_over_time(${redundancy_service_level_change_total}[${FlapWindow}])
  -
    min_over_time(${redundancy_service_level_change_total}[${FlapWindow}])
) > ${FlapChanges}
unless on (job, instance)
(
  resets(${redundancy_service_level_change_total}[${FlapWindow}]) > 0
)`,
		severity: "warning",
		summary:  "A service level comes and goes.",
		description: "The service level of the node" + theNodeItself + " changed {{ $value | humanize }} times within <FlapWindow>, " +
			"and clients go back and forth with it.",
	},
}

// theNode begins the description of everything about one node.
const theNode = "A node" + theNodeItself

// theNodeItself names it. A process that pushes may have no instance.
const theNodeItself = "{{ with $labels.instance }} on {{ . }}{{ end }} (job {{ $labels.job }})"

// told is the value of each node's role, of the nodes that are heard of: without
// those that push, and of which the newest reading is no other than five eighths
// of SilentAfter ago. Readings are compared with each other and not with now, so
// a clock that is wrong is no silence. Whatever has an up series is scraped: its
// values end with it.
func (m *maker) told(role string) string {
	return m.expr(`
max by (${target}) (${redundancy_role|` + role + `})
unless on (${target})
(
    max by (${target}) (${redundancy_observed_timestamp_seconds})
  ==
    max by (${target}) (${redundancy_observed_timestamp_seconds} offset ${HeardBefore})
  unless on (${target})
    ${anyup}
)`)
}
