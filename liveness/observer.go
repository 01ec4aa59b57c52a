package liveness

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

const (
	// tick is how often Run looks.
	tick = 100 * time.Millisecond
	// lateAfter is how old the last tick may be before the observer counts as
	// late: five ticks.
	lateAfter = 5 * tick
)

// observer knows when the watching side was not there to hear. Run writes it,
// anybody reads it.
type observer struct {
	board *board.Board
	// coarseResumed is board.ClockResumed; tests have another.
	coarseResumed func() (time.Duration, bool)
	// ticked is the time of Run's last tick, plus one; zero while Run does not
	// run, since then nothing tells a late observer from a silent loop.
	ticked atomic.Int64
	// tardy is how late that tick came.
	tardy atomic.Int64
	// resumes is Watch.Resumes. The slice is replaced, never written into.
	resumes atomic.Pointer[[]time.Duration]
	// generation counts the resumes. It is raised after a resume was added and
	// before the tick that found it is stored, so whoever sees that tick and no
	// other generation has seen no resume.
	generation atomic.Uint64
	// takenIn is the resume of the board's coarse clock that was taken in last,
	// plus one.
	takenIn atomic.Int64
}

// start makes the first tick; it returns false when there was one already.
func (ob *observer) start() bool {
	return ob.ticked.CompareAndSwap(0, int64(ob.board.Now())+1)
}

// stop ends the ticks: from now on there is no grace. Resumes stay; they are
// facts.
func (ob *observer) stop() {
	ob.ticked.Store(0)
	ob.tardy.Store(0)
}

// tick says "I am here". If it comes late, the observer has just resumed.
func (ob *observer) tick() {
	now := ob.board.Now()
	gap := now - time.Duration(ob.ticked.Load()-1)
	resumed := gap > lateAfter
	if resumed {
		ob.add(now)
	}
	if at, ok := ob.clockStalled(); ok {
		ob.add(at)
		ob.takenIn.Store(int64(at) + 1)
		resumed = true
	}
	ob.tardy.Store(int64(max(gap-tick, 0)))
	ob.ticked.Store(int64(now) + 1)
	if resumed {
		ob.prune()
	}
}

// clockStalled returns when the board's coarse clock resumed, if that was not
// taken in yet. Beats made during its stall carry the old time, so when it goes
// on they look like silence. The board tells of the resume before it shows the
// new time.
func (ob *observer) clockStalled() (time.Duration, bool) {
	if ob.coarseResumed == nil {
		return 0, false // the observer of a zero Monitor
	}
	at, ok := ob.coarseResumed()
	return at, ok && int64(at)+1 != ob.takenIn.Load()
}

// add takes in a resume, in its place.
func (ob *observer) add(at time.Duration) {
	known := ob.known()
	i, _ := slices.BinarySearch(known, at)
	added := slices.Insert(slices.Clone(known), i, at)
	ob.resumes.Store(&added)
	ob.generation.Add(1)
}

func (ob *observer) known() []time.Duration {
	if p := ob.resumes.Load(); p != nil {
		return *p
	}
	return nil
}

// prune forgets every resume that is not the first one after some line's last
// report, so there are never more than lines on the board, however often the
// process freezes.
//
// Nothing is lost by it. Which resume is the first one for a line changes only
// when the line reports again, and a report that comes now is later than every
// resume in the list: the line then has none. So a resume that is no line's
// first one now will never be, and a spent grace stays spent, because the
// resume it ran from is kept for as long as the silence lasts. The newest
// resume is kept in any case: between this reading of the clock and the board's
// the process may freeze again, and the ages then seem older than they are.
func (ob *observer) prune() {
	known := ob.known()
	if len(known) == 1 {
		return
	}
	needed := make([]bool, len(known))
	needed[len(known)-1] = true
	mark := func(now time.Duration, l *board.Line) {
		i, found := slices.BinarySearch(known, now-l.Age)
		if found {
			i++ // a report at the very instant came after the resume
		}
		if i < len(known) {
			needed[i] = true
		}
	}
	now := ob.board.Now()
	var o board.Observation
	for s := ob.board.Sweep(); s.Next(); {
		if !s.Observe(&o) {
			continue
		}
		mark(now, &o.Line)
		for i := range o.Workers {
			mark(now, &o.Workers[i].Line)
		}
	}
	kept := make([]time.Duration, 0, len(known))
	for i, at := range known {
		if needed[i] {
			kept = append(kept, at)
		}
	}
	ob.resumes.Store(&kept)
}

// watch returns what the observer knows of itself now, and the generation of
// that knowledge.
func (ob *observer) watch() (w Watch, generation uint64) {
	generation = ob.generation.Load()
	ticked := ob.ticked.Load()
	w.Resumes = ob.known()
	w.Now = ob.board.Now()
	if ticked == 0 {
		return w, generation
	}
	w.Late = w.Now-time.Duration(ticked-1) > lateAfter
	if at, ok := ob.clockStalled(); ok {
		// The next tick takes it in; until then every reader does.
		i, _ := slices.BinarySearch(w.Resumes, at)
		w.Resumes = slices.Insert(slices.Clone(w.Resumes), i, at)
	}
	return w, generation
}

// heldTrue tells whether a watch was still true after the board was read. If
// the process froze between the two, the ages hold a silence that the watch
// knows nothing of.
func (ob *observer) heldTrue(w *Watch, generation uint64) bool {
	ticked := ob.ticked.Load()
	if ticked != 0 && !w.Late && ob.board.Now()-time.Duration(ticked-1) > lateAfter {
		return false
	}
	if at, ok := ob.clockStalled(); ok && ticked != 0 && !slices.Contains(w.Resumes, at) {
		return false
	}
	return ob.generation.Load() == generation
}

// lateness is how late the newest tick came, or how overdue the next one is, and
// false while nothing ticks.
func (ob *observer) lateness() (time.Duration, bool) {
	ticked := ob.ticked.Load()
	if ticked == 0 {
		return 0, false
	}
	overdue := ob.board.Now() - time.Duration(ticked-1) - tick
	return max(overdue, time.Duration(ob.tardy.Load()), ob.board.ClockAge()-tick, 0), true
}
