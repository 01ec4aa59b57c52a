package mixin

import "time"

// theTier begins the description of everything about one tier.
const theTier = "Tier {{ $labels.tier }} of job {{ $labels.job }}" + whereItIs

// whereItIs names the instance, or says that there is no single one.
const whereItIs = "{{ with $labels.instance }} on {{ . }}{{ else }} on every instance{{ end }}"

// healthAlerts are about tiers and checks. The active tier asks whether this is
// the node that should do the work, and on all but one the answer is no: it
// counts only when it is the answer of every instance of a job.
var healthAlerts = []alert{
	{
		name: "HealthTierUnhealthy",
		// Whatever drains before it ends is Unhealthy in its last push, and looks
		// so for five minutes. A page wants somebody there who still says it.
		expr: `
max by (job, instance, tier) (${health_tier_status|status="unhealthy",tier!="active"}) == 1
unless on (${target})
${unheard}
or
min by (job, tier) (
  ${health_tier_status|status="unhealthy",tier="active"}
  unless on (${target})
  ${unheard}
) == 1`,
		holds:    2 * time.Minute,
		severity: "critical",
		summary:  "A tier answers 503.",
		description: theTier + " is unhealthy: a load balancer sends no work there. " +
			"The body of the tier's path names the checks that fail.",
	},
	{
		name: "HealthTierDegraded",
		expr: `
max by (job, instance, tier) (${health_tier_status|status="degraded",tier!="active"}) == 1
or
(
  max by (job, tier) (${health_tier_status|status="degraded",tier="active"}) == 1
  unless
  max by (job, tier) (${health_tier_status|status="healthy",tier="active"}) == 1
)`,
		holds:       15 * time.Minute,
		severity:    "warning",
		summary:     "A tier has been degraded for long.",
		description: theTier + " is degraded. It still takes work; the body of the tier's path says why.",
	},
	{
		name: "HealthTierUnknown",
		expr: `
max by (job, instance, tier) (${health_tier_status|status="unknown"}) == 1`,
		holds:    15 * time.Minute,
		severity: "warning",
		summary:  "Nobody evaluates a tier.",
		description: theTier + " was never evaluated, or too long ago: neither a probe asks it nor does Set.Run run. " +
			"Its other alerts cannot fire.",
	},
	{
		name: "HealthCheckFailing",
		// A check on the ready and the active tier is told once, by the first
		// half.
		expr: `
max by (job, instance, check) (${health_check_status|status="unhealthy",tier!="active"}) == 1
or
(
  min by (job, check) (${health_check_status|status="unhealthy",tier="active"}) == 1
  unless on (job, check)
  max by (job, check) (${health_check_status|status="unhealthy",tier!="active"}) == 1
)`,
		holds:    5 * time.Minute,
		severity: "warning",
		summary:  "A check fails.",
		description: "Check {{ $labels.check }} of job {{ $labels.job }}" + whereItIs +
			" is unhealthy. The error is in the log, not in the body.",
	},
}
