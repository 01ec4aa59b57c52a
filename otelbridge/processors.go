package otelbridge

import (
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// processors exports each processor of each board.
type processors struct {
	status     state
	reason     state
	age        seconds
	beatAt     seconds
	stale      seconds
	busy       seconds
	beats      counter
	lag        gauge
	lagBound   gauge
	position   gauge
	faults     counter
	starts     counter
	rebuilding state
}

func newProcessors(in *instruments) *processors {
	return &processors{
		status:     in.state(catalogue.ProcessorStatus),
		reason:     in.state(catalogue.ProcessorReason),
		age:        in.seconds(catalogue.ProcessorHeartbeatAge),
		beatAt:     in.seconds(catalogue.ProcessorLastHeartbeat),
		stale:      in.seconds(catalogue.ProcessorStalenessThreshold),
		busy:       in.seconds(catalogue.ProcessorBusyAge),
		beats:      in.counter(catalogue.ProcessorHeartbeats),
		lag:        in.gauge(catalogue.ProcessorLag),
		lagBound:   in.gauge(catalogue.ProcessorLagThreshold),
		position:   in.gauge(catalogue.ProcessorPosition),
		faults:     in.counter(catalogue.ProcessorFaults),
		starts:     in.counter(catalogue.ProcessorStarts),
		rebuilding: in.state(catalogue.ProcessorRebuilding),
	}
}

// tell observes what was read, the worst processors first: a provider that
// limits the series of an instrument folds the last ones, and those should be
// healthy.
func (ps *processors) tell(o metric.Observer, p *pass) {
	for status := check.Unhealthy; status <= check.Healthy; status++ {
		for _, b := range p.Boards {
			for i := range b.Rows {
				if b.Rows[i].Status == status {
					ps.tellOne(o, &b.Rows[i], p.At)
				}
			}
		}
	}
}

func (ps *processors) tellOne(o metric.Observer, r *row, at time.Time) {
	self := r.Prepared.self
	tellState(o, ps.status, r.Prepared.status, int(r.Status))
	o.ObserveInt64(ps.reason, 1, r.Prepared.reasonOf(r.Reason)...)
	if r.Beating {
		o.ObserveFloat64(ps.age, r.Age.Seconds(), self...)
		o.ObserveFloat64(ps.beatAt, reading.UnixSeconds(at.Add(-r.Age)), self...)
	}
	o.ObserveFloat64(ps.stale, r.Stale.Seconds(), self...)
	if r.Working {
		o.ObserveFloat64(ps.busy, r.Busy.Seconds(), self...)
	}
	o.ObserveInt64(ps.beats, r.Beats, self...)
	if r.LagKnown {
		o.ObserveInt64(ps.lag, r.Lag, self...)
	}
	if r.LagBound > 0 {
		o.ObserveInt64(ps.lagBound, r.LagBound, self...)
	}
	if r.PositionKnown {
		o.ObserveInt64(ps.position, r.Position, self...)
	}
	o.ObserveInt64(ps.faults, r.Faults, self...)
	o.ObserveInt64(ps.starts, r.Starts, self...)
	rebuilding := int64(0)
	if r.Rebuild {
		rebuilding = 1
	}
	o.ObserveInt64(ps.rebuilding, rebuilding, self...)
}
