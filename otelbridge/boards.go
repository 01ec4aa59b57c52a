package otelbridge

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// boards exports each board as a whole, and the side that watches it.
type boards struct {
	labels []boardLabels // by monitor

	processors whole
	oldestAge  seconds
	observedAt seconds
	events     whole
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

func (bs *boards) tell(o *observer, p *pass) {
	for i := range p.Boards {
		l, t := &bs.labels[i], &p.Boards[i].Totals
		for status, n := range t.Processors {
			o.whole(bs.processors, n, l.status[status])
		}
		if t.Beating {
			o.seconds(bs.oldestAge, reading.Seconds(t.Oldest), l.self)
		}
		o.seconds(bs.observedAt, reading.UnixSeconds(p.At), l.self)
		o.whole(bs.events, t.RefusedRegistrations, l.refused)
		o.whole(bs.events, t.ClampedLags, l.clamped)
		o.whole(bs.events, t.DroppedTransitions, l.dropped)
		if t.LatenessKnown {
			o.seconds(bs.lateness, reading.Seconds(t.Lateness), l.self)
		}
	}
}
