package liveness

import (
	"iter"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// maxAttempts is how often a pass over the board begins anew because the
// process froze while it began.
const maxAttempts = 3

// pass is one pass over the board: what is known of the observer, and room for
// one processor at a time. Passes are pooled, so that judging allocates nothing.
type pass struct {
	monitor    *Monitor
	watch      Watch
	generation uint64
	attempts   int
	next       int // of monitor.perKey

	// least is the shortest bound that a Running processor can have, and brief
	// the longest interval that has it; least is -1 where more than silence, or
	// more than one policy, has to be asked.
	least, brief time.Duration

	seen    board.Observation
	verdict Verdict
}

// begin starts a pass; end it with end.
func (m *Monitor) begin() *pass {
	p, _ := m.passes.Get().(*pass)
	if p == nil {
		p = new(pass)
	}
	p.monitor = m
	p.attempts = 0
	p.least, p.brief = -1, -1
	if len(m.perKey) == 0 && !m.policy.lagRules() {
		p.least, p.brief = m.policy.shortest()
	}
	p.look()
	return p
}

func (m *Monitor) end(p *pass) {
	workers := p.seen.Workers[:0]
	clear(workers[:cap(workers)])
	*p = pass{seen: board.Observation{Workers: workers}}
	m.passes.Put(p)
}

// look takes a fresh look at the observer.
func (p *pass) look() {
	p.watch, p.generation = p.monitor.observer.watch()
	p.attempts++
}

// disturbed tells whether the look must be taken anew: the process froze after
// it and before the reading of the board's clock, so that the loops seem silent
// for a reason that the watch knows nothing of. If that happens again and again
// the observer is late.
func (p *pass) disturbed() bool {
	if p.monitor.observer.heldTrue(&p.watch, p.generation) || p.attempts > maxAttempts {
		return false
	}
	p.look()
	p.watch.Late = p.watch.Late || p.attempts > maxAttempts
	return true
}

// sweep begins to go over the board, at a reading of its clock that the watch
// holds true for.
func (p *pass) sweep() board.Sweep {
	s := p.monitor.board.Sweep()
	for p.disturbed() {
		s = p.monitor.board.Sweep()
	}
	return s
}

// well tells from a quick look whether a processor's verdict is Running, with
// nothing more to be said. False means that it must be judged. Nearly every
// processor is well at nearly every moment, and a look reads a third of what an
// observation does.
func (p *pass) well(age time.Duration, running bool) bool { return running && age <= p.least }

// judge takes in the processor that a sweep is at, in seen and verdict, and
// tells whether it is still on the board.
func (p *pass) judge(s *board.Sweep) bool {
	if !s.Observe(&p.seen) {
		return false
	}
	p.policy(p.seen.Key).judge(&p.seen, &p.watch, &p.verdict)
	return true
}

// policy returns the policy for the next processor of the pass. Keys come in
// order, so it needs no search.
func (p *pass) policy(key string) *Policy {
	for own := p.monitor.perKey; p.next < len(own); p.next++ {
		if own[p.next].key >= key {
			if own[p.next].key == key {
				return &own[p.next].policy
			}
			break
		}
	}
	return &p.monitor.policy
}

// All yields every processor in key order as the board shows it, with the
// verdict on it, all by one reading of the clock. The Observation's Workers are
// valid until the next one, or the end of the loop: clone what you keep. It
// allocates nothing but the iterator.
func (m *Monitor) All() iter.Seq2[board.Observation, Verdict] {
	return func(yield func(board.Observation, Verdict) bool) {
		if m == nil {
			return
		}
		p := m.begin()
		defer m.end(p)
		for s := p.sweep(); s.Next(); {
			if p.judge(&s) && !yield(p.seen, p.verdict) {
				return
			}
		}
	}
}

// Append appends the verdict on every processor to dst, in key order, all by
// one reading of the clock. It allocates nothing when dst is large enough.
func (m *Monitor) Append(dst []Verdict) []Verdict {
	if m == nil {
		return dst
	}
	p := m.begin()
	defer m.end(p)
	least, brief := p.least, p.brief
	for s := p.sweep(); s.Next(); {
		n := len(dst)
		if n == cap(dst) {
			dst = append(dst, Verdict{})
		} else {
			dst = dst[:n+1]
		}
		v := &dst[n]
		// The verdict of pass.well, written here: on a board of ten thousand
		// this costs little more than reading them.
		if age, running := s.Running(); running && age <= least && s.Interval() <= brief {
			v.Key, v.Age, v.Bound, v.Busy, v.Behind = s.Key(), age, least, 0, 0
			v.Status, v.Reason, v.State = check.Healthy, Running, board.Running
			if v.Worker != "" {
				v.Worker = ""
			}
			continue
		}
		if p.judgeAt(s) {
			*v = p.verdict
		} else {
			dst = dst[:n]
		}
	}
	return dst
}

// judgeAt is judge for a copy of the sweep, which thereby stays in registers.
func (p *pass) judgeAt(s board.Sweep) bool { return p.judge(&s) }

// Verdicts returns the verdict on every processor, in key order.
func (m *Monitor) Verdicts() []Verdict {
	if m == nil {
		return nil
	}
	return m.Append(make([]Verdict, 0, m.board.Len()))
}

// Verdict returns the verdict on one processor, and false when the key is not on
// the board. The verdict is then the one on a processor that has reported
// nothing.
func (m *Monitor) Verdict(key string) (Verdict, bool) {
	p, ok := m.Processor(key)
	return p.Verdict, ok
}
