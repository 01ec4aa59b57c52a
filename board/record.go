package board

import (
	"sync/atomic"
	"time"
)

// record is what one reporter has said. It is 128 bytes, two cache lines on
// most machines, free of pointers, and never reused: a writer that was stalled
// for an hour still writes into its own record.
type record struct {
	// word is read and written by load, store and swap only. It is a plain
	// number because the methods of atomic.Uint64 cost Beat its inlining.
	word  uint64
	beats atomic.Uint64
	// positionAt-1 is when position was last reported for a change, or a lag of
	// zero for it; zero means never.
	position   atomic.Int64
	positionAt atomic.Uint64
	cells      [lagCells]lagCell
	limits     [limitRegisters]atomic.Uint32
}

func (r *record) load() word {
	yield()
	return word(atomic.LoadUint64(&r.word))
}

func (r *record) store(w word) { atomic.StoreUint64(&r.word, uint64(w)) }

func (r *record) swap(from, to word) bool {
	yield()
	return atomic.CompareAndSwapUint64(&r.word, uint64(from), uint64(to))
}

// report moves the record. The lag stays as it was. This is the path of every
// beat, kept flat: one clock reading, one compare-and-swap, one count.
func (r *Reporter) report(m *move) {
	tick := atomic.LoadUint64(&r.board.tick)
	at := word(tick)
	switch tick {
	case monotonic:
		at = word(time.Since(r.board.base)) << stampShift
	case mocked:
		at = pack(r.board.mocked(), 0, 0)
	}
	for {
		from := r.load()
		c := m.to[from.code()]
		if c == stay {
			return
		}
		to := from.to(at, c)
		if from != to && !r.swap(from, to) {
			continue
		}
		if from.code() >= codeLimited && from.code() != c {
			r.releaseLimit(from.limit())
		}
		// On a coarse clock one beat a tick is counted.
		if m.beat && (from.reading() != to.reading() || exact(tick)) {
			r.beats.Add(1)
		}
		return
	}
}

// reportLag moves the record and gives it a new lag at the same instant; the
// move noting gives the lag alone. It reads the clock as report does, in place:
// a call for it would be felt.
func (r *Reporter) reportLag(m *move, lag int64) {
	tick := atomic.LoadUint64(&r.board.tick)
	at := word(tick)
	switch tick {
	case monotonic:
		at = word(time.Since(r.board.base)) << stampShift
	case mocked:
		at = pack(r.board.mocked(), 0, 0)
	}
	if uint64(lag) > maxLag {
		r.board.clamped.Add(1)
		lag = min(max(0, lag), maxLag)
	}
	cell := -1
	for {
		from := r.load()
		c := m.to[from.code()]
		if c == stay {
			r.releaseCell(cell)
			return
		}
		to := from
		if m.beat {
			to = from.to(at, c)
			at = to.clock()
		}
		if cell < 0 {
			if cell = r.claimCell(lag, from.cell()); cell < 0 {
				cell = r.claimCrowded(lag)
			}
		}
		to = to.reading() | lostLag
		if cell >= 0 {
			yield()
			r.cells[cell].date(at)
			to = to.reading() | word(cell)
		}
		if !r.swap(from, to) {
			continue
		}
		r.releaseCell(from.cell())
		if lag == 0 {
			r.caughtUp(at.stamp())
		}
		if m.beat && (from.reading() != to.reading() || exact(tick)) {
			r.beats.Add(1)
		}
		return
	}
}

// reportLimited moves the record to Busy with a limit of its own. When every
// register is taken the unit gets the policy's limit.
func (r *record) reportLimited(at word, register int) {
	for {
		from := r.load()
		if working.to[from.code()] == stay {
			r.releaseLimit(register)
			return
		}
		c := code(Busy)
		if register >= 0 {
			c = codeLimited + code(register)
		}
		if r.swap(from, from.to(at, c)) {
			r.releaseLimit(from.limit())
			return
		}
	}
}
