package board

import (
	"sync/atomic"
	"time"
)

// lagCells is one cell for the lag that holds, three for reports of the same
// processor that may be stalled half-way, and one for the next report. Only
// with more stalled than that does a lag become unknown.
const lagCells = 5

// A lagCell holds one lag report: when it was made, and the lag in a word with
//
//	lag      53 bits
//	version  10 bits  counts the claims, for readers
//	claimed   1 bit   being written, or the one that the record's word names
//
// A report claims a free cell with its lag, dates it, publishes it by the record
// word's compare-and-swap and releases the cell it replaced. So a cell that the
// record's word names is whole. On a coarse clock most cells have the right date
// already.
type lagCell struct {
	lag atomic.Uint64
	at  atomic.Uint64 // a word's clock
}

const (
	cellClaimed = 1
	cellVersion = 1 << 1
	lagShift    = 11
	versionMask = 1<<lagShift - 1 - cellClaimed
)

// maxLag is the most that a cell holds, and all that a metric can tell apart: from
// there on a float64 has no place for each whole number.
const maxLag = 1<<(64-lagShift) - 1

// claimCell takes a free cell for a lag and returns its index, or -1 when it met
// none. The search begins behind the cell in use, so that a released cell rests as
// long as possible before it is written again under a slow reader.
func (r *record) claimCell(lag int64, inUse int) int {
	i := inUse
	for range lagCells {
		if i++; i >= lagCells {
			i = 0
		}
		if r.cells[i].claim(lag) {
			return i
		}
	}
	return -1
}

// look returns the word with the lag.
func (c *lagCell) look() uint64 {
	yield()
	return c.lag.Load()
}

// reported returns when the lag was reported; which one, a look before and after
// tells.
func (c *lagCell) reported() stamp {
	yield()
	return word(c.at.Load()).stamp()
}

// claim takes the cell for a lag, unless it is taken or another report is faster.
func (c *lagCell) claim(lag int64) bool {
	held := c.lag.Load()
	if held&cellClaimed != 0 {
		return false
	}
	yield()
	return c.lag.CompareAndSwap(held, uint64(lag)<<lagShift|(held+cellVersion)&versionMask|cellClaimed)
}

// date sets when the lag of a claimed cell was reported. Only who claimed it does.
func (c *lagCell) date(at word) {
	if at = at.clock(); c.at.Load() != uint64(at) {
		c.at.Store(uint64(at))
	}
}

// claimCrowded is claimCell for when that met no free cell, and returns -1 only
// when all were taken at one moment: other reports may have been ahead of the
// search in every cell with one of them free all the time. A pass that finds
// every cell as the pass before it did proves that moment; a pass that does not
// was disturbed by a report that went on.
func (r *record) claimCrowded(lag int64) int {
	var before [lagCells]uint64
	for {
		unchanged := true
		for i := range r.cells {
			if r.cells[i].claim(lag) {
				return i
			}
			held := r.cells[i].look()
			unchanged = unchanged && held == before[i]
			before[i] = held
		}
		if unchanged {
			return -1
		}
	}
}

// releaseCell gives back a cell that this report has claimed or replaced.
func (r *record) releaseCell(cell int) {
	if cell >= 0 && cell < lagCells {
		yield()
		r.cells[cell].lag.Add(^uint64(0)) // clears the bit, which is set
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
