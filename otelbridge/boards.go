package otelbridge

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// boards exports each board as a whole, and the side that watches it.
type boards struct {
	labels []boardLabels // by monitor

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

func newBoards(in *instruments, attributes []boardAttribute) *boards {
	bs := &boards{
		processors: in.state(catalogue.BoardProcessors),
		oldestAge:  in.seconds(catalogue.BoardOldestAge),
		observedAt: in.seconds(catalogue.BoardObserved),
		events:     in.counter(catalogue.InternalEvents),
		lateness:   in.seconds(catalogue.ObserverLateness),
	}
	for _, b := range attributes {
		kind := func(word string) labels { return b.labels(attribute.String(catalogue.KeyKind, word)) }
		bs.labels = append(bs.labels, boardLabels{
			self:    b.labels(),
			status:  statusLabels(func(status attribute.KeyValue) labels { return b.labels(status) }),
			refused: kind(catalogue.RefusedRegistration),
			clamped: kind(catalogue.ClampedLag),
			dropped: kind(catalogue.DroppedTransition),
		})
	}
	return bs
}

func (bs *boards) tell(o metric.Observer, p *pass) {
	for i := range p.Boards {
		l, t := &bs.labels[i], &p.Boards[i].Totals
		for status, n := range t.Processors {
			o.ObserveInt64(bs.processors, n, l.status[status]...)
		}
		if t.Beating {
			o.ObserveFloat64(bs.oldestAge, t.Oldest.Seconds(), l.self...)
		}
		o.ObserveFloat64(bs.observedAt, reading.UnixSeconds(p.At), l.self...)
		o.ObserveInt64(bs.events, t.RefusedRegistrations, l.refused...)
		o.ObserveInt64(bs.events, t.ClampedLags, l.clamped...)
		o.ObserveInt64(bs.events, t.DroppedTransitions, l.dropped...)
		if t.LatenessKnown {
			o.ObserveFloat64(bs.lateness, t.Lateness.Seconds(), l.self...)
		}
	}
}
