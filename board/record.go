package board

import "sync/atomic"

// record is what one reporter has said. It is 128 bytes, two cache lines on
// most machines, free of pointers, and never reused: a writer that was stalled
// for an hour still writes into its own record.
type record struct {
	word  atomic.Uint64
	beats atomic.Uint64
	// position was last changed at positionAt-1; zero means never reported.
	position   atomic.Int64
	positionAt atomic.Uint64
	cells      [lagCells]lagCell
	limits     [limitRegisters]atomic.Uint32
}

func (r *record) load() word { return word(r.word.Load()) }

func (r *record) swap(from, to word) bool {
	yield()
	return r.word.CompareAndSwap(uint64(from), uint64(to))
}

// report moves the record at the given time and tells whether the report was
// taken. The lag stays as it was.
func (r *record) report(at stamp, m *move) (from, to word, taken bool) {
	for {
		from = r.load()
		c := m[from.code()]
		if c == stay {
			return from, from, false
		}
		to = from.to(at, c)
		if from == to || r.swap(from, to) {
			if from.limit() >= 0 && from.limit() != to.limit() {
				r.releaseLimit(from.limit())
			}
			return from, to, true
		}
	}
}

// reportLag moves the record and gives it a new lag with the same instant. A
// move that keeps the state (noting) keeps its stamp too.
func (r *record) reportLag(at stamp, m *move, lag int64) bool {
	cell := -1
	for {
		from := r.load()
		c := m[from.code()]
		if c == stay {
			r.releaseCell(cell)
			return false
		}
		if cell < 0 {
			cell = r.claimCell(at, from.cell())
			if cell >= 0 {
				yield()
				r.cells[cell].lag.Store(lag)
			}
		}
		to := from
		if m != &noting {
			to = from.to(at, c)
		}
		if cell < 0 {
			to = pack(to.stamp(), to.code(), lostLag)
		} else {
			to = pack(to.stamp(), to.code(), cell)
			if m != &noting {
				r.restamp(cell, to.stamp())
			}
		}
		if r.swap(from, to) {
			yield()
			r.releaseCell(from.cell())
			return true
		}
	}
}

// reportLimited moves the record to Busy with a limit of its own. When every
// register is taken the unit gets the policy's limit.
func (r *record) reportLimited(at stamp, register int) {
	for {
		from := r.load()
		if working[from.code()] == stay {
			r.releaseLimit(register)
			return
		}
		c := code(Busy)
		if register >= 0 {
			c = codeLimited + code(register)
		}
		if r.swap(from, from.to(at, c)) {
			yield()
			r.releaseLimit(from.limit())
			return
		}
	}
}
