package prom

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// collector is the part of an Exporter that a registry reads. Its label sets are
// made at the first scrape, so an Exporter that is only a handler has none.
type collector struct {
	reader *reading.Reader[*processorPairs, *checkPairs, []*dto.LabelPair]
	boards []boardPairs // by monitor
	tiers  [len(reading.KnownTiers)]tierPairs
}

// tierPairs are the label sets of one tier.
type tierPairs struct {
	self   []*dto.LabelPair
	status [len(statuses)][]*dto.LabelPair // by index of catalogue.StatusWords
}

func newCollector(src reading.Sources, clock board.Clock, boards boardNames) *collector {
	c := &collector{boards: newBoardPairs(boards)}
	c.reader = reading.New(src, clock, reading.Prepare[*processorPairs, *checkPairs, []*dto.LabelPair]{
		Processor: func(monitor int, key string) *processorPairs {
			return newProcessorPairs(c.boards[monitor].self, key)
		},
		Check:  newCheckPairs,
		Series: seriesPairs,
		Guard:  guardPairs,
	})
	for i, t := range reading.KnownTiers {
		tier := pair(catalogue.KeyTier, string(t))
		c.tiers[i].self = with(nil, tier)
		for status := range c.tiers[i].status {
			c.tiers[i].status[status] = with(nil, statusPairs[status], tier)
		}
	}
	return c
}

// Describe tells a registry the names, so that two of one name are an error when
// they are registered, and not at every scrape. They stay the same after Close,
// so that a closed Exporter can be unregistered.
func (e *Exporter) Describe(ch chan<- *prometheus.Desc) {
	if e == nil {
		return
	}
	for _, f := range e.families {
		ch <- f.desc
	}
}

// Collect is called by a registry for each scrape. Everything is read before the
// first series is told. It runs no check and waits for none.
func (e *Exporter) Collect(ch chan<- prometheus.Metric) {
	if !e.open() {
		return
	}
	p, err := readPass(e.collector.reader)
	if err != nil {
		// A registry calls from a goroutine of its own, so a panic would end the
		// process. This ends the scrape.
		ch <- prometheus.NewInvalidMetric(e.families[0].desc, err)
		return
	}
	defer e.collector.reader.Release(p)
	t := teller{ch: ch, at: p.At.UnixNano()}
	for _, f := range e.families {
		switch {
		case processorValues[f.id] != nil:
			t.processors(f, processorValues[f.id], p.Boards)
		case boardValues[f.id] != nil:
			t.boards(f, boardValues[f.id], p.Boards, e.collector.boards)
		case checkValues[f.id] != nil:
			t.checks(f, checkValues[f.id], p.Checks)
		case f.id.OfRedundancy():
			t.redundancy(f, p.Redundancy)
		case f.id.OfGuard():
			t.guards(f, p.Guards)
		default:
			e.collectStates(&t, f, p)
		}
	}
}

// collectStates tells the metrics that have more than one series for each
// processor, board, tier or check.
func (e *Exporter) collectStates(t *teller, f *family, p *reading.Pass[*processorPairs, *checkPairs, []*dto.LabelPair]) {
	c := e.collector
	switch f.id {
	case catalogue.ProcessorStatus:
		t.processorStatus(f, p.Boards)
	case catalogue.ProcessorReason:
		t.processorReason(f, p.Boards)
	case catalogue.BoardProcessors:
		t.boardProcessors(f, p.Boards, c.boards)
	case catalogue.InternalEvents:
		t.internalEvents(f, p.Boards, c.boards)
	case catalogue.ExportDropped:
		t.tell(f, nil, 0) // nothing is hidden here
	case catalogue.TierStatus:
		t.tierStatus(f, p.Tiers, &c.tiers)
	case catalogue.TierChecks:
		t.tierChecks(f, p.Tiers, &c.tiers)
	case catalogue.CheckStatus:
		t.checkStatus(f, p.Checks)
	case catalogue.CheckDuration:
		t.durations(f, e.durations.all())
	}
}

// readPass reads the sources. The clocks of the boards, of redundancy and of the
// timestamps may be the user's: one that panics is an error.
func readPass[P, C, S any](r *reading.Reader[P, C, S]) (p *reading.Pass[P, C, S], err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("prom: reading panicked: %v", cause)
		}
	}()
	return r.Read(), nil
}
