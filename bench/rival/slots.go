package rival

import "sync/atomic"

// wordsPerSlot makes a slot as large as a processor's on the board: two cache
// lines.
const wordsPerSlot = 16

// Slots is the bare memory of a board: one pointer-free slot a processor, each
// read with eight atomic loads, four from either cache line.
type Slots []slot

type slot [wordsPerSlot]atomic.Uint64

// NewSlots returns n slots, all written: memory that was never written is one
// zero page, and a read of it measures nothing.
func NewSlots(n int) Slots {
	s := make(Slots, n)
	for i := range s {
		for w := range s[i] {
			s[i][w].Store(uint64(i ^ w))
		}
	}
	return s
}

// Read reads every slot once and returns the sum of what it saw.
func (s Slots) Read() (sum uint64) {
	for i := range s {
		p := &s[i]
		sum += p[0].Load() + p[2].Load() + p[4].Load() + p[6].Load() +
			p[8].Load() + p[10].Load() + p[12].Load() + p[14].Load()
	}
	return sum
}
