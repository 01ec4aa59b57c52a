package otelbridge

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// health exports the tiers and their checks as they were asked last. It asks
// nothing itself: a scrape never runs a check.
type health struct {
	set   *tiers.Set
	tiers map[tiers.Tier]*tierLabels
	cache cache[checkLabels]

	tierStatus  state
	tierChecks  state
	checkStatus state
	hung        state
	lastRun     seconds
	duration    metric.Float64Histogram
}

// durationBounds are the buckets of a check's duration in seconds, around the
// limits that probes and checks have.
var durationBounds = []float64{.001, .005, .01, .05, .1, .25, .5, 1, 2.5, 5, 10}

// tierLabels are the attribute sets of one tier.
type tierLabels struct {
	self   labels
	status []labels // by check.Status, and unknown
}

// checkLabels are the attribute sets of one check.
type checkLabels struct {
	self  labels
	tiers [][]labels // by its tiers, then by check.Status and unknown
}

func newHealth(in *instruments, set *tiers.Set) *health {
	h := &health{
		set:   set,
		tiers: map[tiers.Tier]*tierLabels{},

		tierStatus: in.state("health.tier.status", "1",
			"1 for the tier's status when it was last evaluated, 0 for the others; unknown when that is too long ago."),
		tierChecks: in.state("health.tier.checks", "{check}",
			"Checks on the tier."),
		checkStatus: in.state("health.check.status", "1",
			"1 for the check's status when it last ran, 0 for the others; unknown when that is too long ago."),
		hung: in.state("health.check.hung", "{run}",
			"Runs past their limit that have not returned."),
		lastRun: in.seconds("health.check.last_run_timestamp",
			"Calendar time at which the newest run with an answer started."),
		duration: in.histogram("health.check.duration",
			"How long the check's runs took, at most their limit.", durationBounds),
	}
	for _, t := range []tiers.Tier{tiers.Ready, tiers.Active, tiers.Startup, tiers.Wedged} {
		tier := attribute.String("tier", string(t))
		h.tiers[t] = &tierLabels{
			self:   newLabels(tier),
			status: knownOrNot(func(status attribute.KeyValue) labels { return newLabels(tier, status) }),
		}
	}
	return h
}

// knownOrNot makes the labels of each status, and of unknown.
func knownOrNot(with func(status attribute.KeyValue) labels) []labels {
	return append(statusLabels(with), with(attribute.String("status", statusWords[unknown])))
}

func (h *health) newCheckLabels(c *tiers.CheckState) *checkLabels {
	name := attribute.String("check", c.Name)
	l := &checkLabels{self: newLabels(name)}
	for _, t := range c.Tiers {
		tier := attribute.String("tier", string(t))
		l.tiers = append(l.tiers, knownOrNot(func(status attribute.KeyValue) labels { return newLabels(tier, name, status) }))
	}
	return l
}

func (h *health) tell(o metric.Observer) {
	for _, t := range h.set.TierStates() {
		l := h.tiers[t.Tier]
		if l == nil {
			continue
		}
		tellState(o, h.tierStatus, l.status, statusOf(t.Status, t.Known))
		o.ObserveInt64(h.tierChecks, int64(t.Checks), l.self...)
	}
	w := h.cache.walk()
	for _, c := range h.set.CheckStates() {
		l := w.find(c.Name, func(string) *checkLabels { return h.newCheckLabels(&c) })
		for _, status := range l.tiers {
			tellState(o, h.checkStatus, status, statusOf(c.Status, c.Known))
		}
		o.ObserveInt64(h.hung, int64(c.Hung), l.self...)
		if !c.Sampled.IsZero() {
			o.ObserveFloat64(h.lastRun, unixSeconds(c.Sampled), l.self...)
		}
	}
	w.end()
}

// statusOf is the index of the status that holds among those of knownOrNot.
func statusOf(s check.Status, known bool) int {
	if !known {
		return int(unknown)
	}
	return int(s.Known())
}

// record is given every sample that a check takes, in a goroutine of the
// check's that no probe waits for.
func (h *health) record(s check.Sample) {
	ctx := context.Background() //nolint:forbidigo // a run belongs to no request
	h.duration.Record(ctx, s.Duration.Seconds(), metric.WithAttributeSet(attribute.NewSet(
		attribute.String("check", s.Name), attribute.String("outcome", s.Outcome.String()))))
}
