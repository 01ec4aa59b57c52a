package board

import (
	"iter"
	"sync"
	"time"
)

// All yields every processor in key order, all ages by one reading of the
// clock. It allocates nothing; the Workers of an Observation are valid until the
// next one, or the end of the loop: clone what you keep. Each processor is read when its turn comes: one that is registered
// or closed during the pass may or may not be seen. A nil board yields nothing.
func (b *Board) All() iter.Seq[Observation] {
	return func(yield func(Observation) bool) {
		o := buffers.Get().(*Observation)
		for s := b.Sweep(); s.Next(); {
			if s.Observe(o) && !yield(*o) {
				break
			}
		}
		buffers.Put(o)
	}
}

// buffers keeps what a pass of All reads into.
var buffers = sync.Pool{New: func() any { return new(Observation) }}

// A Sweep is All for whoever passes over large boards often: it fills one
// Observation of the caller's, and a quick look saves most of even that.
//
//	for s := b.Sweep(); s.Next(); {
//		if age, ok := s.Running(); ok && age <= bound {
//			continue
//		}
//		if s.Observe(&o) {
//			…
//		}
//	}
//
// A Sweep belongs to one goroutine. Its other methods are for the processor that
// Next has moved to: they panic before the first Next.
type Sweep struct {
	index *index
	now   stamp
	next  int
	r     *Reporter
}

// Sweep begins a pass with a reading of the clock. A nil board has no
// processors.
func (b *Board) Sweep() Sweep {
	if b == nil {
		return Sweep{}
	}
	return Sweep{index: b.sorted(), now: b.now()}
}

// Next moves to the next processor in key order, and tells whether there is
// one.
func (s *Sweep) Next() bool {
	if s.index == nil || s.next >= len(s.index.at) {
		return false
	}
	yield()
	s.r = s.index.at[s.next].Load()
	s.next++
	return true
}

// Key is the key of the processor at hand.
func (s *Sweep) Key() string { return s.r.key }

// Interval is the registered interval of the processor at hand, never zero.
func (s *Sweep) Interval() time.Duration { return s.r.interval }

// Running is a quick look at the processor at hand: its age, and whether it is
// Running and has no workers. Observe tells everything else.
func (s *Sweep) Running() (age time.Duration, ok bool) {
	w := s.r.load()
	return ageOf(s.now, w.stamp()), w.code() == code(Running) && s.r.pool.Load() == nil
}

// Observe fills o with the processor at hand and tells whether it is still on
// the board. The Workers of o are valid until o is filled again.
func (s *Sweep) Observe(o *Observation) bool { return s.r.observe(s.now, o) }
