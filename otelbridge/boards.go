package otelbridge

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// boards exports each board as a whole, and the side that watches it.
type boards struct {
	sources []*source
	labels  []boardLabels // by source

	processors state
	oldestAge  seconds
	observedAt seconds
	events     counter
	lateness   seconds
}

// boardLabels are the attribute sets of one board.
type boardLabels struct {
	self                      labels
	status                    []labels // by check.Status
	refused, clamped, dropped labels
}

func newBoards(in *instruments, sources []*source) *boards {
	bs := &boards{
		sources: sources,

		processors: in.state("liveness.board.processors", "{processor}",
			"Processors of the board, by status."),
		oldestAge: in.seconds("liveness.board.oldest_age",
			"Age of the oldest beat on the board that another must follow."),
		observedAt: in.seconds("liveness.board.observed_timestamp",
			"Calendar time at which these values were read."),
		events: in.counter("liveness.internal.events", "{event}",
			"What the board and its monitor refused, corrected or lost."),
		lateness: in.seconds("liveness.observer.lateness",
			"How late the watching side was last."),
	}
	for _, s := range sources {
		kind := func(word string) labels { return s.labels(attribute.String("kind", word)) }
		bs.labels = append(bs.labels, boardLabels{
			self:    s.labels(),
			status:  statusLabels(func(status attribute.KeyValue) labels { return s.labels(status) }),
			refused: kind("refused_registration"),
			clamped: kind("clamped_lag"),
			dropped: kind("dropped_transition"),
		})
	}
	return bs
}

func (bs *boards) tell(o metric.Observer, p *pass) {
	for i, s := range bs.sources {
		l := &bs.labels[i]
		bs.tellProcessors(o, l, p.rows[i])
		o.ObserveFloat64(bs.observedAt, unixSeconds(p.at), l.self...)
		events := s.monitor.Board().Events()
		o.ObserveInt64(bs.events, saturated(events.RefusedRegistrations), l.refused...)
		o.ObserveInt64(bs.events, saturated(events.ClampedLags), l.clamped...)
		o.ObserveInt64(bs.events, saturated(s.monitor.DroppedTransitions()), l.dropped...)
		if late, known := s.monitor.Lateness(); known {
			o.ObserveFloat64(bs.lateness, late.Seconds(), l.self...)
		}
	}
}

// tellProcessors sums up the rows that the processors' own series were made of.
func (bs *boards) tellProcessors(o metric.Observer, l *boardLabels, rows []row) {
	counts := make([]int64, len(l.status))
	oldest, beating := time.Duration(0), false
	for i := range rows {
		counts[rows[i].status]++
		if rows[i].beating {
			oldest, beating = max(oldest, rows[i].age), true
		}
	}
	for status, n := range counts {
		o.ObserveInt64(bs.processors, n, l.status[status]...)
	}
	if beating {
		o.ObserveFloat64(bs.oldestAge, oldest.Seconds(), l.self...)
	}
}
