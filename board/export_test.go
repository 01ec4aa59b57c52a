package board

import "time"

// HoldTick sets a board's coarse clock as Run does, and lets it stand.
func HoldTick(b *Board, at time.Duration) { b.setTick(stamp(at)) }

// Leaks tells whether a reporter that nobody uses holds a cell or a register
// beside those that its word names. In one that has ended nothing matters.
func Leaks(r *Reporter) bool {
	w := r.load()
	if w.ended() {
		return false
	}
	for i := range r.cells {
		if r.cells[i].lag.Load()&cellClaimed != 0 && i != w.cell() {
			return true
		}
	}
	for i := range r.limits {
		if r.limits[i].Load() != 0 && i != w.limit() {
			return true
		}
	}
	return false
}
