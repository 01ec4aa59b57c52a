package prom

import (
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// The lines of processors are nearly all of a large scrape. Their chunk is a
// local variable, which the compiler keeps in registers.

func (p *page) processors(value processorValue, boards []reading.Board[string]) {
	dst, kind := p.dst, p.family.kind
	for _, b := range boards {
		for i := range b.Rows {
			r := &b.Rows[i]
			n, ok := value(&r.Facts, p.at)
			if !ok {
				continue
			}
			dst = p.name(dst)
			dst = append(dst, r.Prepared...)
			dst = append(dst, "} "...)
			dst = appendValue(dst, kind, n)
			dst = append(dst, '\n')
			if len(dst) >= chunk {
				if dst = p.out.write(dst); p.out.over() {
					return
				}
			}
		}
	}
	p.dst = dst
}

// statusEnds are what follows the labels of a processor whose status is not, or
// is, the one of a series; by check.Status.
var statusEnds = func() (ends [processorStatuses][2]string) {
	for status := range ends {
		word := catalogue.StatusWords[status]
		ends[status] = [2]string{`,status="` + word + "\"} 0\n", `,status="` + word + "\"} 1\n"}
	}
	return ends
}()

func (p *page) processorStatus(boards []reading.Board[string]) {
	dst := p.dst
	for _, b := range boards {
		for i := range b.Rows {
			r := &b.Rows[i]
			for _, status := range statuses[:processorStatuses] {
				dst = p.name(dst)
				dst = append(dst, r.Prepared...)
				dst = append(dst, statusEnds[status][holds(r.Status == check.Status(status))]...)
			}
			if len(dst) >= chunk {
				if dst = p.out.write(dst); p.out.over() {
					return
				}
			}
		}
	}
	p.dst = dst
}

func (p *page) processorReason(boards []reading.Board[string]) {
	dst := p.dst
	for _, b := range boards {
		for i := range b.Rows {
			r := &b.Rows[i]
			dst = p.name(dst)
			dst = append(dst, r.Prepared...)
			dst = append(dst, `,reason="`...)
			dst = append(dst, r.Reason.String()...)
			dst = append(dst, "\"} 1\n"...)
			if len(dst) >= chunk {
				if dst = p.out.write(dst); p.out.over() {
					return
				}
			}
		}
	}
	p.dst = dst
}
