package otelbridge

import (
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// processors exports each processor of each board.
type processors struct {
	status     whole
	reason     whole
	age        seconds
	beatAt     seconds
	stale      seconds
	busy       seconds
	beats      whole
	lag        whole
	lagBound   whole
	position   whole
	faults     whole
	starts     whole
	rebuilding whole
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
func (ps *processors) tell(o *observer, p *pass) {
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

func (ps *processors) tellOne(o *observer, r *row, at time.Time) {
	self := r.Prepared.self
	o.state(ps.status, r.Prepared.status, int(r.Status))
	o.whole(ps.reason, 1, r.Prepared.reasonOf(r.Reason))
	if r.Beating {
		o.seconds(ps.age, reading.Seconds(r.Age), self)
		o.seconds(ps.beatAt, reading.UnixSeconds(at.Add(-r.Age)), self)
	}
	o.seconds(ps.stale, reading.Seconds(r.Stale), self)
	if r.Working {
		o.seconds(ps.busy, reading.Seconds(r.Busy), self)
	}
	o.whole(ps.beats, r.Beats, self)
	if r.LagKnown {
		o.whole(ps.lag, r.Lag, self)
	}
	if r.LagBound > 0 {
		o.whole(ps.lagBound, r.LagBound, self)
	}
	if r.PositionKnown {
		o.whole(ps.position, r.Position, self)
	}
	o.whole(ps.faults, r.Faults, self)
	o.whole(ps.starts, r.Starts, self)
	rebuilding := int64(0)
	if r.Rebuild {
		rebuilding = 1
	}
	o.whole(ps.rebuilding, rebuilding, self)
}
