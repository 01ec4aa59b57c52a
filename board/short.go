package board

import (
	"sync/atomic"
	"time"
)

// The short way of the two commonest reports: a beat, with or without a lag, of
// a processor that is Running, with no other report in the way. It takes the
// same steps as the long way (report and reportLag), less whatever can then be
// left out, and gives up before it has changed anything that shows.

// runningSince is the word of a beat at a later time than from, a Running word:
// code and cell stay.
func (from word) runningSince(at word) word { return at | from&(1<<stampShift-1) }

// running tells whether from is Running and not after at, a stamp in place.
func (from word) running(at word) bool {
	return from&(codeMask<<cellBits) == word(Running)<<cellBits && from <= at|(1<<stampShift-1)
}

// beat is Beat past the coarse clock's short cut.
//
//go:noinline
func (r *Reporter) beat() {
	if atomic.LoadUint64(&r.board.tick) == monotonic {
		at := word(time.Since(r.board.base)) << stampShift
		if from := r.load(); from.running(at) && r.swap(from, from.runningSince(at)) {
			r.beats.Add(1)
			return
		}
	}
	r.report(beating)
}

// beatLag is BeatLag of a reporter that is not nil.
func (r *Reporter) beatLag(lag int64) {
	tick := atomic.LoadUint64(&r.board.tick)
	at := word(tick).clock()
	if tick == monotonic {
		at = word(time.Since(r.board.base)) << stampShift
	} else if tick == mocked {
		r.reportLag(beating, lag)
		return
	}
	from := r.load()
	if uint64(lag) > maxLag || !from.running(at) {
		r.reportLag(beating, lag)
		return
	}
	i := from.cell() + 1
	if i >= lagCells {
		i = 0
	}
	cell := &r.cells[i]
	if !cell.claim(lag) {
		r.reportLag(beating, lag)
		return
	}
	// What the exact clock says is new; of a coarse one most cells have it.
	if tick == monotonic || cell.at.Load() != uint64(at) {
		yield()
		cell.at.Store(uint64(at))
	}
	if !r.swap(from, at|word(Running)<<cellBits|word(i)) {
		r.releaseCell(i)
		r.reportLag(beating, lag)
		return
	}
	yield()
	r.releaseCell(from.cell())
	if lag == 0 {
		r.caughtUp(at.stamp())
	}
	if tick == monotonic || from.clock() != at {
		r.beats.Add(1)
	}
}
