package liveness

import "github.com/loopvitals/loopvitals/board"

// maxAttempts is how often one pass over the board is made anew because the
// process froze in the middle of it.
const maxAttempts = 3

// pass is one pass over the board: what is known of the observer, and room for
// one processor at a time. Passes are pooled, so that judging allocates nothing.
type pass struct {
	monitor    *Monitor
	watch      Watch
	generation uint64
	attempts   int
	next       int // of monitor.perKey

	seen    board.Observation
	verdict Verdict
}

// begin starts a pass; end it with end.
func (m *Monitor) begin() *pass {
	p := m.passes.Get().(*pass)
	p.monitor = m
	p.attempts = 0
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
	p.next = 0
}

// disturbed tells whether the pass must be made anew: the process froze after
// the look at the observer and before the reading of the board's clock, so that
// the loops seem silent for a reason that the watch knows nothing of. If that
// happens again and again the observer is late.
func (p *pass) disturbed() bool {
	if p.monitor.observer.heldTrue(&p.watch, p.generation) || p.attempts > maxAttempts {
		return false
	}
	p.look()
	p.watch.Late = p.watch.Late || p.attempts > maxAttempts
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

// well takes a quick look at the processor that a sweep is at, and tells whether
// its verdict is Running, with nothing more to be said. False means that it must
// be judged. Nearly every processor is well at nearly every moment, and a look
// reads a third of what an observation does.
func (p *pass) well(s *board.Sweep) bool {
	age, running := s.Running()
	if !running {
		return false
	}
	policy := &p.monitor.policy
	if len(p.monitor.perKey) > 0 {
		policy = p.policy(s.Key())
	}
	return age <= policy.staleAfter(s.Interval()) && !policy.lagRules()
}

// each judges every processor in key order. What it calls sees the processor
// and its verdict in p; begun is called before the first one, and again if the
// pass must be made anew. Of a processor that is well, passed is told the key
// alone, and may return false to have it judged like the others.
func (p *pass) each(begun func(), passed func(key string) bool, judged func()) {
	for again := true; again; again = p.disturbed() {
		begun()
		for s := p.monitor.board.Sweep(); s.Next(); {
			if p.well(&s) && passed(s.Key()) {
				continue
			}
			if s.Observe(&p.seen) {
				p.policy(p.seen.Key).judge(&p.seen, &p.watch, &p.verdict)
				judged()
			}
		}
	}
}
