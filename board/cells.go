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
// its index, or -1 when every cell is taken. The search begins behind the cell
// in use, so that a released cell rests as long as possible before it is
// written again under a slow reader.
func (r *record) claimCell(at word, inUse int) int {
	i := inUse
	for range lagCells {
		if i++; i >= lagCells {
			i = 0
		}
		meta := r.cells[i].meta.Load()
		if meta&cellClaimed != 0 {
			continue
		}
		yield()
		claimed := uint64(at)&^(1<<cellShift-1) | (meta+cellVersion)&versionMask | cellClaimed
		if r.cells[i].meta.CompareAndSwap(meta, claimed) {
			return i
		}
	}
	return -1
}

// restamp corrects the time of a cell that this report has claimed.
func (r *record) restamp(cell int, at word) {
	c := &r.cells[cell]
	meta := c.meta.Load()
	if stamp(meta>>cellShift) != at.stamp() {
		c.meta.Store(uint64(at)&^(1<<cellShift-1) | meta&(1<<cellShift-1))
	}
}

// releaseCell gives back a cell that this report has claimed or replaced.
func (r *record) releaseCell(cell int) {
	if cell >= 0 && cell < lagCells {
		c := &r.cells[cell]
		c.meta.Store(c.meta.Load() &^ cellClaimed)
	}
}

// limitRegisters is one register for the limit of the unit in progress and
// three for BusyFor reports that may be stalled half-way.
const limitRegisters = 4

// maxLimit is what a register can hold: 49 days.
const maxLimit = time.Duration(1<<32-1) * time.Millisecond

// claimLimit stores a limit in a free register and returns its index, or -1
// when every register is taken. A register of zero is free.
func (r *record) claimLimit(limit time.Duration) int {
	ms := uint32((min(limit, maxLimit) + time.Millisecond - 1) / time.Millisecond)
	for i := range r.limits {
		if r.limits[i].CompareAndSwap(0, ms) {
			return i
		}
	}
	return -1
}

// releaseLimit gives back a register; -1 is none.
func (r *record) releaseLimit(register int) {
	if register >= 0 {
		r.limits[register].Store(0)
	}
}
