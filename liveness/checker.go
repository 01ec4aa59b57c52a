package liveness

import (
	"context"
	"strconv"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// defaultListed is how many processors Check lists.
const defaultListed = 32

// Check judges the whole board (S5.18, X25): the status is that of the worst
// processor and Healthy for an empty board, the description names that one and
// says how many more are not healthy, and the data holds
//
//	processors  a Processors, the worst first
//	total       int, how many there are
//	omitted     int, how many of them are not listed
//
// Err is the cause of the named processor's fault; it is for the log only. Check
// reads memory only and needs no time limit. It costs one pass over the board,
// which sorts nothing, and allocates the answer.
func (m *Monitor) Check(context.Context) check.Result {
	if m == nil {
		return check.Result{Description: "no monitor"}
	}
	p := m.begin()
	defer m.end(p)
	sum := summary{worst: ranking{limit: m.listed, listed: make([]Processor, 0, min(m.listed, defaultListed))}}
	for s := p.sweep(); s.Next(); {
		if sum.full() && p.well(s.Running()) {
			sum.total++ // well, and there is no room to list it
		} else if p.judge(&s) {
			sum.add(&p.seen, &p.verdict)
		}
	}
	return sum.result(m.board.Name())
}

// Instant marks the Monitor as a check that only reads memory.
func (m *Monitor) Instant() {}

// summary is what Check gathers in one pass.
type summary struct {
	total, unwell int
	named         Verdict // the worst
	cause         error
	worst         ranking
}

// full tells whether a processor that is well makes no difference but to the
// total.
func (s *summary) full() bool { return s.total > 0 && len(s.worst.listed) >= s.worst.limit }

func (s *summary) add(o *board.Observation, v *Verdict) {
	if v.Status != check.Healthy {
		s.unwell++
	}
	if s.total == 0 || v.worseThan(&s.named) {
		s.named, s.cause = *v, o.Err
	}
	s.total++
	s.worst.add(o, v)
}

func (s *summary) result(boardName string) check.Result {
	status := check.Healthy
	if s.total > 0 {
		status = s.named.Status
	}
	return check.Result{
		Status:      status,
		Description: s.description(),
		Err:         s.cause,
		Data: map[string]any{
			"processors": Processors{Board: boardName, Processors: s.worst.listed},
			"total":      s.total,
			"omitted":    s.total - len(s.worst.listed),
		},
	}
}

func (s *summary) description() string {
	switch {
	case s.total == 0:
		return "no processors"
	case s.unwell == 0 && s.total == 1:
		return "1 processor is healthy"
	case s.unwell == 0:
		return strconv.Itoa(s.total) + " processors are healthy"
	case s.unwell == 1:
		return s.named.Text()
	}
	return s.named.Text() + ", and " + strconv.Itoa(s.unwell-1) + " more"
}

// worseThan orders verdicts by status, then by reason, then by how far they are
// past their bound. Healthy ones are equals, so that they stay in key order and
// a list of them does not jump about.
func (v *Verdict) worseThan(u *Verdict) bool {
	if v.Status != u.Status {
		return v.Status < u.Status
	}
	if v.Status == check.Healthy {
		return false
	}
	if v.Reason != u.Reason {
		return v.Reason < u.Reason
	}
	return v.silence()-v.Bound > u.silence()-u.Bound
}

// ranking keeps the worst of many processors, worst first, and equals in the
// order they came. In a board of ten thousand healthy processors adding costs
// one comparison each.
type ranking struct {
	limit  int
	listed []Processor
}

func (r *ranking) add(o *board.Observation, v *Verdict) {
	n := len(r.listed)
	if n == r.limit {
		if n == 0 || !v.worseThan(&r.listed[n-1].Verdict) {
			return
		}
		n--
	} else {
		r.listed = append(r.listed, Processor{})
	}
	for n > 0 && v.worseThan(&r.listed[n-1].Verdict) {
		r.listed[n] = r.listed[n-1]
		n--
	}
	r.listed[n] = processorOf(o, v)
}
