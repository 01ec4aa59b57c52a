package board

import (
	"sync/atomic"
	"time"
)

// lagCells is one cell for the lag that holds, three for reports of the same
// processor that may be stalled half-way, and one for the next report. Only
// with more stalled than that does a lag become unknown.
const lagCells = 5

// A lagCell holds one lag report. Its meta word is
//
//	stamp    57 bits  when the lag was reported
//	version   6 bits  counts the claims, for readers
//	claimed   1 bit   being written, or the one that the word names
//
// A report claims a free cell, fills it, publishes it by the word's
// compare-and-swap and releases the cell it replaced. The stamp is written with
// the claim and the lag before the publication, so a cell that the word names
// is whole.
type lagCell struct {
	meta atomic.Uint64
	lag  atomic.Int64
}

const (
	cellClaimed = 1
	cellVersion = 1 << 1
	cellShift   = stampShift
	versionMask = 1<<cellShift - 1 - cellClaimed
)

// claimCell takes a free cell for a report made at a word's stamp and returns
// its index, or -1 when it met none. The search begins behind the cell in use,
// so that a released cell rests as long as possible before it is written again
// under a slow reader.
func (r *record) claimCell(at word, inUse int) int {
	i := inUse
	for range lagCells {
		if i++; i >= lagCells {
			i = 0
		}
		if r.cells[i].claim(at) {
			return i
		}
	}
	return -1
}

// look returns the meta word.
func (c *lagCell) look() uint64 {
	yield()
	return c.meta.Load()
}

// read returns the lag; what it belongs to, a look before and after tells.
func (c *lagCell) read() int64 {
	yield()
	return c.lag.Load()
}

// claim takes the cell, unless it is taken or another report is faster.
func (c *lagCell) claim(at word) bool {
	meta := c.meta.Load()
	if meta&cellClaimed != 0 {
		return false
	}
	yield()
	claimed := uint64(at.clock()) | (meta+cellVersion)&versionMask | cellClaimed
	return c.meta.CompareAndSwap(meta, claimed)
}

// claimCrowded is claimCell for when that met no free cell, and returns -1 only
// when all were taken at one moment: other reports may have been ahead of the
// search in every cell with one of them free all the time. A pass that finds
// every cell as the pass before it did proves that moment; a pass that does not
// was disturbed by a report that went on.
func (r *record) claimCrowded(at word) int {
	var before [lagCells]uint64
	for {
		unchanged := true
		for i := range r.cells {
			if r.cells[i].claim(at) {
				return i
			}
			meta := r.cells[i].look()
			unchanged = unchanged && meta == before[i]
			before[i] = meta
		}
		if unchanged {
			return -1
		}
	}
}

// restamp corrects the time of a cell that this report has claimed.
func (r *record) restamp(cell int, at word) {
	c := &r.cells[cell]
	meta := c.meta.Load()
	if stamp(meta>>cellShift) != at.stamp() {
		c.meta.Store(uint64(at.clock()) | meta&(1<<cellShift-1))
	}
}

// releaseCell gives back a cell that this report has claimed or replaced.
func (r *record) releaseCell(cell int) {
	if cell >= 0 && cell < lagCells {
		yield()
		r.cells[cell].meta.Add(^uint64(0)) // clears the bit, which is set
	}
}

// limitRegisters is one register for the limit of the unit in progress and
// three for BusyFor reports in progress: when three are stalled half-way, the
// next one's unit gets the policy's limit.
const limitRegisters = 4

// maxLimit is what a register can hold: 49 days.
const maxLimit = time.Duration(1<<32-1) * time.Millisecond

// claimLimit stores a limit in a free register and returns its index, or -1
// when every register is taken. A register of zero is free.
func (r *record) claimLimit(limit time.Duration) int {
	ms := uint32((min(limit, maxLimit) + time.Millisecond - 1) / time.Millisecond)
	for i := range r.limits {
		yield()
		if r.limits[i].CompareAndSwap(0, ms) {
			return i
		}
	}
	return -1
}

// readLimit returns what a register holds, in milliseconds.
func (r *record) readLimit(register int) uint32 {
	yield()
	return r.limits[register].Load()
}

// releaseLimit gives back a register; -1 is none.
func (r *record) releaseLimit(register int) {
	if register >= 0 {
		yield()
		r.limits[register].Store(0)
	}
}
