package otelbridge

import (
	"context"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
	"github.com/loopvitals/loopvitals/tiers"
)

// health exports the tiers and their checks as they were asked last. It asks
// nothing itself: a scrape never runs a check.
type health struct {
	tiers [len(reading.KnownTiers)]tierLabels

	tierStatus  whole
	tierChecks  whole
	checkStatus whole
	hung        whole
	lastRun     seconds
	duration    metric.Float64Histogram

	// A provider keeps the durations' series for ever, so what was recorded once
	// is prepared for ever: five outcomes a check at most.
	durations sync.Map     // of durationKey to []metric.RecordOption
	recorded  atomic.Int64 // how many there are
}

type durationKey struct {
	check   string
	outcome check.Outcome
}

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

func newHealth(in *instruments) *health {
	h := &health{
		tierStatus:  in.state(catalogue.TierStatus),
		tierChecks:  in.state(catalogue.TierChecks),
		checkStatus: in.state(catalogue.CheckStatus),
		hung:        in.state(catalogue.CheckHung),
		lastRun:     in.seconds(catalogue.CheckLastRun),
		duration:    in.histogram(catalogue.CheckDuration, catalogue.DurationBounds[:]),
	}
	for i, t := range reading.KnownTiers {
		tier := attribute.String(catalogue.KeyTier, string(t))
		h.tiers[i] = tierLabels{
			self:   newLabels(tier),
			status: knownOrNot(func(status attribute.KeyValue) labels { return newLabels(tier, status) }),
		}
	}
	return h
}

func newCheckLabels(c *tiers.CheckState) *checkLabels {
	name := attribute.String(catalogue.KeyCheck, c.Name)
	l := &checkLabels{self: newLabels(name)}
	for _, t := range c.Tiers {
		tier := attribute.String(catalogue.KeyTier, string(t))
		l.tiers = append(l.tiers, knownOrNot(func(status attribute.KeyValue) labels { return newLabels(tier, name, status) }))
	}
	return l
}

func (h *health) tell(o *observer, p *pass) {
	for _, t := range p.Tiers {
		l := &h.tiers[t.Index]
		o.state(h.tierStatus, l.status, t.Shown)
		o.whole(h.tierChecks, int64(t.Checks), l.self)
	}
	for i := range p.Checks {
		c := &p.Checks[i]
		for _, status := range c.Prepared.tiers {
			o.state(h.checkStatus, status, c.Shown)
		}
		o.whole(h.hung, int64(c.Hung), c.Prepared.self)
		if !c.Sampled.IsZero() {
			o.seconds(h.lastRun, reading.UnixSeconds(c.Sampled), c.Prepared.self)
		}
	}
	o.series[catalogue.CheckDuration] = int(h.recorded.Load())
}

// record is given every sample that a check takes, in a goroutine of the
// check's that no probe waits for.
func (h *health) record(s check.Sample) {
	key := durationKey{s.Name, s.Outcome}
	options, prepared := h.durations.Load(key)
	if !prepared {
		var raced bool
		options, raced = h.durations.LoadOrStore(key, []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(
			attribute.String(catalogue.KeyCheck, s.Name), attribute.String(catalogue.KeyOutcome, s.Outcome.String())))})
		if !raced {
			h.recorded.Add(1)
		}
	}
	ctx := context.Background() //nolint:forbidigo // a run belongs to no request
	h.duration.Record(ctx, s.Duration.Seconds(), options.([]metric.RecordOption)...)
}
