package prom

import (
	"strconv"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// page renders one scrape, family by family as both text formats want it, into
// chunks that it hands on as they fill.
type page struct {
	out  *body
	dst  []byte // of the current chunk
	open bool   // OpenMetrics
	at   int64  // nanoseconds, for people

	family *family
	begun  bool // the family's header is written
}

// pass is what one scrape by the handler reads.
type pass = reading.Pass[string, *checkText, string]

// render writes all families that have a series, and ends early when the client
// takes no more.
func (e *Exporter) render(p *page, read *pass) {
	for _, f := range e.families {
		if p.out.over() {
			return
		}
		p.family, p.begun = f, false
		switch {
		case processorValues[f.id] != nil:
			p.processors(processorValues[f.id], read.Boards)
		case boardValues[f.id] != nil:
			p.boards(boardValues[f.id], read.Boards, e.text.boards)
		case checkValues[f.id] != nil:
			p.checks(checkValues[f.id], read.Checks)
		case f.id.OfRedundancy():
			p.redundancy(read.Redundancy)
		case f.id.OfGuard():
			p.guards(read.Guards)
		default:
			e.renderStates(p, read)
		}
	}
}

// renderStates writes the metrics that have more than one series for each
// processor, board, tier or check.
func (e *Exporter) renderStates(p *page, read *pass) {
	switch p.family.id {
	case catalogue.ProcessorStatus:
		p.processorStatus(read.Boards)
	case catalogue.ProcessorReason:
		p.processorReason(read.Boards)
	case catalogue.BoardProcessors:
		p.boardProcessors(read.Boards, e.text.boards)
	case catalogue.InternalEvents:
		p.internalEvents(read.Boards, e.text.boards)
	case catalogue.ExportDropped:
		p.line()
		p.value(0) // nothing is hidden here
	case catalogue.TierStatus:
		p.tierStatus(read.Tiers)
	case catalogue.TierChecks:
		p.tierChecks(read.Tiers)
	case catalogue.CheckStatus:
		p.checkStatus(read.Checks)
	case catalogue.CheckDuration:
		p.durations(e.durations.all())
	}
}

// name appends the name that begins a line, with the family's header before the
// first one.
func (p *page) name(dst []byte) []byte {
	if !p.begun {
		dst = p.header(dst)
	}
	return append(dst, p.family.name...)
}

func (p *page) header(dst []byte) []byte {
	p.begun = true
	if p.open {
		return append(dst, p.family.openText...)
	}
	return append(dst, p.family.text...)
}

// line begins a line.
func (p *page) line() { p.dst = p.name(p.dst) }

// add appends to the line.
func (p *page) add(text string) { p.dst = append(p.dst, text...) }

// value ends the line, and the chunk if that is full.
func (p *page) value(n int64) {
	p.dst = append(p.dst, ' ')
	p.dst = appendValue(p.dst, p.family.kind, n)
	p.end()
}

// count ends the line with a number that is not in the family's unit.
func (p *page) count(n uint64) {
	p.dst = append(p.dst, ' ')
	p.dst = strconv.AppendUint(p.dst, n, 10)
	p.end()
}

func (p *page) end() {
	p.dst = append(p.dst, '\n')
	if len(p.dst) >= chunk {
		p.dst = p.out.write(p.dst)
	}
}
