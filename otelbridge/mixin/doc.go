// Package mixin makes the Prometheus rules for the metrics of otelbridge and
// otelbridge/prom: alerts, each with an entry in docs/operations.md, and a few
// recordings for dashboards.
//
// # Usage
//
// The files rules.yaml (for Prometheus) and prometheusrule.yaml (for the
// Prometheus operator on Kubernetes) in this folder are the defaults. For
// anything else use the command, or this package:
//
//	loopvitals rules -selector 'job="orders"' -prefix otopcua. > rules.yaml
//
//	rules, err := mixin.New(mixin.Config{Selector: `job="orders"`, Prefix: "otopcua."})
//	err = rules.WriteYAML(file)
//
// Give them a selector that names the job: without one nothing can tell that a
// whole job has vanished.
//
// # The alerts
//
//	LivenessProcessorFaulted       reason="faulted"                                     critical
//	LivenessProcessorStale         reason="stale", for 30 s                             critical
//	LivenessProcessorStuck         reason="stuck"                                       critical
//	LivenessProcessorNeverStarted  reason="never_started"                               critical
//	LivenessProcessorCrashLooping  2 faults and a start within 15 min                   warning
//	LivenessProcessorOrphaned      every replica is on standby, for 2 min               critical
//	LivenessProcessorSilent        nothing pushed for 120 s, or no beat and no verdict  critical
//	LivenessProcessorStalled       position unchanged with lag for 10 min, for 5 min    warning
//	LivenessProcessorLagging       lag over its threshold and no rebuild, for 10 min    warning
//	LivenessProcessorLagGrowing    lag grows over 15 min, for 15 min                    info
//	HealthTierUnhealthy            tier unhealthy, for 2 min                            critical
//	HealthTierDegraded             tier degraded, for 15 min                            warning
//	HealthTierUnknown              tier not evaluated, for 15 min                       warning
//	HealthCheckFailing             check unhealthy, for 5 min                           warning
//	LivenessTargetDown             up == 0, for 1 min                                   critical
//	LivenessJobAbsent              nothing of the job at all, for 5 min                 critical
//	LivenessMetricsMissing         up == 1 without these metrics, for 5 min             warning
//	LivenessSeriesDropped          a limit hides series, for 5 min                      warning
//	LivenessObserverLate           the watching side is over 2 s late, for 1 min        warning
//	RedundancyNoPrimary            no node of the job is the primary, for 1 min         critical
//	RedundancyDualPrimary          two nodes of the job are, for 30 s                   critical
//	RedundancyBootWindowStuck      role unknown beside peers, and denials, for 2 min    warning
//	RedundancyServiceLevelFlapping more than 6 changes of one process within 15 min     warning
//	ResubscribePresumedLost        more than 3 requests lost within 10 min              warning
//	LivenessWatchdog               always                                               none
//
// Their labels are severity and those of job, instance, board, processor, tier,
// check and guard that apply: everything else, such as the scope labels of an exporter
// (otel_scope_name), is aggregated away, so that no join breaks.
//
// # Pull and push
//
// Where Prometheus scrapes, job and instance come from the target, the series of
// a dead process end at once, and LivenessTargetDown tells of its death. Where
// metrics are pushed through OTLP, job and instance come from the resource
// attributes service.name (with service.namespace) and service.instance.id,
// there is no up, and the last values stay: LivenessProcessorSilent tells of a
// death there. It is quiet about whatever has an up series, so one death is one
// page. It ends SilentWindow after the last push, when LivenessJobAbsent has
// taken over if that was the last instance; a process that ended well, with its
// processors stopped in the last push, never sets it off.
//
// # Redundancy
//
// The instances of a job are taken for one cluster. Give two clusters two jobs,
// or rules of their own, each with a Selector on a label that tells them apart. No
// target may have a label role: Prometheus would put it in the place of that of
// redundancy_role, and the alerts on roles could not fire.
//
// A node that was killed is shown as it was for one interval of scrapes, or for
// five minutes behind a push. A second primary is therefore told 75 s after it
// was first seen (five eighths of SilentAfter) plus the 30 s of the alert, if
// values come more often than that. Two nodes of one name that are killed one after the other
// within five minutes behind a push may look like two primaries.
//
// # Resubscribing
//
// A guard counts a request as lost at its ceiling, 45 s by default, so a gateway that
// stops answering is told after four of them: 3 min, and the time until the scrape. It
// is told over restarts of the consumer, too. Where a ceiling is longer than two
// minutes, set LostWindow to five of them and more.
//
// # What it does not do
//
// It parses no PromQL and talks to no server. That the rules load, fire and keep
// quiet is tested by promtool, in the module promtest below this folder.
package mixin
