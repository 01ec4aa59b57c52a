package board

import "time"

// HoldTick sets the coarse clock as Run does, and lets it stand.
func (b *Board) HoldTick(at time.Duration) { b.setTick(stamp(at)) }
