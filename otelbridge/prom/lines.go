package prom

import (
	"strconv"
	"strings"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

func (p *page) boards(value boardValue, boards []reading.Board[string], labels []boardText) {
	for i := range boards {
		n, ok := value(&boards[i].Totals, p.at)
		if !ok {
			continue
		}
		p.line()
		if name := labels[i].name; name != "" {
			p.add(`{`)
			p.add(name)
			p.add(`}`)
		}
		p.value(n)
	}
}

func (p *page) boardProcessors(boards []reading.Board[string], labels []boardText) {
	for i := range boards {
		for _, status := range statuses[:processorStatuses] {
			p.boardSeries(labels[i], catalogue.KeyStatus, catalogue.StatusWords[status], boards[i].Totals.Processors[status])
		}
	}
}

func (p *page) internalEvents(boards []reading.Board[string], labels []boardText) {
	for i := range boards {
		for _, e := range events {
			p.boardSeries(labels[i], catalogue.KeyKind, e.kind, e.count(&boards[i].Totals))
		}
	}
}

// boardSeries writes a series with one label beside the board's name.
func (p *page) boardSeries(b boardText, key, word string, n int64) {
	p.line()
	p.add(`{`)
	p.add(b.before)
	p.add(key)
	p.add(`="`)
	p.add(word)
	p.add(`"}`)
	p.value(n)
}

func (p *page) tierStatus(known []reading.Tier) {
	for _, status := range statuses {
		for _, t := range known {
			p.line()
			p.add(`{status="`)
			p.add(catalogue.StatusWords[status])
			p.add(`",tier="`)
			p.add(string(reading.KnownTiers[t.Index]))
			p.add(`"}`)
			p.value(holds(t.Shown == status))
		}
	}
}

func (p *page) tierChecks(known []reading.Tier) {
	for _, t := range known {
		p.line()
		p.add(`{tier="`)
		p.add(string(reading.KnownTiers[t.Index]))
		p.add(`"}`)
		p.value(int64(t.Checks))
	}
}

func (p *page) checks(value checkValue, checks []reading.Check[*checkText]) {
	for i := range checks {
		n, ok := value(&checks[i].CheckState)
		if !ok {
			continue
		}
		p.line()
		p.add(checks[i].Prepared.self)
		p.add(`}`)
		p.value(n)
	}
}

func (p *page) checkStatus(checks []reading.Check[*checkText]) {
	for i := range checks {
		c := &checks[i]
		for _, status := range statuses {
			for _, tier := range c.Prepared.tiers {
				p.line()
				p.add(c.Prepared.self)
				p.add(`,status="`)
				p.add(catalogue.StatusWords[status])
				p.add(`"`)
				p.add(tier)
				p.add(`}`)
				p.value(holds(c.Shown == status))
			}
		}
	}
}

func (p *page) redundancy(all []reading.Series[string]) {
	for i := range all {
		if all[i].ID != p.family.id {
			continue
		}
		p.line()
		p.add(all[i].Prepared)
		p.value(all[i].N)
	}
}

func (p *page) guards(all []reading.Guard[string]) {
	for i := range all {
		n, known := all[i].Value(p.family.id)
		if !known {
			continue
		}
		p.line()
		p.add(all[i].Prepared)
		p.value(n)
	}
}

// durations writes the histograms. The bounds of their buckets are numbers in the
// text format, and floats with a point in OpenMetrics.
func (p *page) durations(all []recorded) {
	for _, r := range all {
		labels := "{" + label(catalogue.KeyCheck, r.check) + "," + label(catalogue.KeyOutcome, r.outcome.String())
		count := uint64(0)
		for i, runs := range r.counts {
			count += runs
			p.line()
			p.add("_bucket" + labels + `,le="` + p.bound(i) + `"}`)
			p.count(count)
		}
		p.line()
		p.add("_sum" + labels + "}")
		p.value(int64(r.sum))
		p.line()
		p.add("_count" + labels + "}")
		p.count(count)
	}
}

// bound is the upper bound of a bucket.
func (p *page) bound(i int) string {
	if i == len(catalogue.DurationBounds) {
		return "+Inf"
	}
	s := strconv.FormatFloat(catalogue.DurationBounds[i], 'g', -1, 64)
	if p.open && !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
