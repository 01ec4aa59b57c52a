package claim

import (
	"sync/atomic"
	"time"
)

// capacity is how many spans a process can claim; a page that is full says so.
const capacity = 512

// Track is what one process claimed, as spans of time. One goroutine writes it.
type Track struct {
	count atomic.Int64 // spans begun, which may be more than there is room for
	open  atomic.Bool  // the last span goes on
	first [capacity]atomic.Int64
	last  [capacity]atomic.Int64
}

// Sample notes whether the process claims to be active. at is the time that was
// read before it was asked, so that the process was not yet stopped then.
func (t *Track) Sample(at int64, active bool) {
	n := t.count.Load()
	switch {
	case !active:
		t.open.Store(false)
		return
	case !t.open.Load():
		if n < capacity {
			t.first[n].Store(at)
			t.last[n].Store(at)
		}
		n++
		t.count.Store(n)
		t.open.Store(true)
	}
	if n <= capacity {
		t.last[n-1].Store(at)
	}
}

// Spans returns what was claimed so far; complete is false when there was more
// than there was room for.
func (t *Track) Spans() (spans []Span, complete bool) {
	n := t.count.Load()
	for i := range min(n, capacity) {
		spans = append(spans, Span{First: t.first[i].Load(), Last: t.last[i].Load()})
	}
	return spans, n <= capacity
}

// Span is a time in which a process claimed to be active whenever it was asked,
// both ends included, in nanoseconds of the boot clock.
type Span struct{ First, Last int64 }

// Overlap is how long both spans lasted at the same time: 0 when they did not. Both
// ends are included, so a single claim within another span is seen as well.
func (s Span) Overlap(other Span) time.Duration {
	return time.Duration(max(0, min(s.Last, other.Last)-max(s.First, other.First)+1))
}
