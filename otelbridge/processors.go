package otelbridge

import (
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
)

// processors exports each processor of each board.
type processors struct {
	sources []*source

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

func newProcessors(in *instruments, sources []*source) *processors {
	return &processors{
		sources: sources,

		status: in.state("liveness.processor.status", "1",
			"1 for the status of the processor, 0 for the others."),
		reason: in.state("liveness.processor.reason", "1",
			"1 for the reason of the status; other reasons have no series."),
		age: in.seconds("liveness.processor.heartbeat.age",
			"Age of the last beat when collected, while a beat must follow."),
		beatAt: in.seconds("liveness.processor.last_heartbeat_timestamp",
			"Calendar time of the last beat, while a beat must follow."),
		stale: in.seconds("liveness.processor.staleness_threshold",
			"Age of the last beat past which the processor is unhealthy."),
		busy: in.seconds("liveness.processor.busy.age",
			"How long the unit of work in progress has gone on without a beat."),
		beats: in.counter("liveness.processor.heartbeats", "{heartbeat}",
			"Beats since registration, those of workers included."),
		lag: in.gauge("liveness.processor.lag", "{event}",
			"Events behind the head, as last reported."),
		lagBound: in.gauge("liveness.processor.lag_threshold", "{event}",
			"Lag past which a processor that is no rebuild is degraded."),
		position: in.gauge("liveness.processor.position", "{event}",
			"Position in the input, as last reported."),
		faults: in.counter("liveness.processor.faults", "{fault}",
			"Incarnations of the processor that faulted."),
		starts: in.counter("liveness.processor.starts", "{start}",
			"Incarnations of the processor that reported anything."),
		rebuilding: in.state("liveness.processor.rebuilding", "1",
			"1 for a rebuild, 0 for any other processor."),
	}
}

// read reads every board.
func (ps *processors) read(p *pass) {
	if p.rows == nil {
		p.rows = make([][]row, len(ps.sources))
	}
	for i, s := range ps.sources {
		p.rows[i] = s.read(p.rows[i][:0])
	}
}

// tell observes what was read, the worst processors first: a provider that
// limits the series of an instrument folds the last ones, and those should be
// healthy.
func (ps *processors) tell(o metric.Observer, p *pass) {
	for status := check.Unhealthy; status <= check.Healthy; status++ {
		for _, rows := range p.rows {
			for i := range rows {
				if rows[i].status == status {
					ps.tellOne(o, &rows[i], p.at)
				}
			}
		}
	}
}

func (ps *processors) tellOne(o metric.Observer, r *row, at time.Time) {
	self := r.series.self
	tellState(o, ps.status, r.series.status, int(r.status))
	o.ObserveInt64(ps.reason, 1, r.reason...)
	if r.beating {
		o.ObserveFloat64(ps.age, r.age.Seconds(), self...)
		o.ObserveFloat64(ps.beatAt, unixSeconds(at.Add(-r.age)), self...)
	}
	o.ObserveFloat64(ps.stale, r.stale.Seconds(), self...)
	if r.working {
		o.ObserveFloat64(ps.busy, r.busy.Seconds(), self...)
	}
	o.ObserveInt64(ps.beats, r.beats, self...)
	if r.lagKnown {
		o.ObserveInt64(ps.lag, r.lag, self...)
	}
	if r.lagBound > 0 {
		o.ObserveInt64(ps.lagBound, r.lagBound, self...)
	}
	if r.positionKnown {
		o.ObserveInt64(ps.position, r.position, self...)
	}
	o.ObserveInt64(ps.faults, r.faults, self...)
	o.ObserveInt64(ps.starts, r.starts, self...)
	rebuilding := int64(0)
	if r.rebuild {
		rebuilding = 1
	}
	o.ObserveInt64(ps.rebuilding, rebuilding, self...)
}

// unixSeconds is a calendar time as Prometheus has it.
func unixSeconds(t time.Time) float64 { return float64(t.UnixNano()) / float64(time.Second) }

func newSources(monitors []*liveness.Monitor) []*source {
	sources := make([]*source, len(monitors))
	for i, m := range monitors {
		sources[i] = newSource(m)
	}
	return sources
}
