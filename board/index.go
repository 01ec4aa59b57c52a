package board

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"
)

// An index holds the live reporters in key order. Its keys never change; a
// Restart swings the pointer at its key's place.
type index struct {
	at []atomic.Pointer[Reporter]
}

// sorted returns the index, making it anew after a change of the board. That
// costs an allocation and a sort, once for each change that is looked at.
func (b *Board) sorted() *index {
	if x := b.index.Load(); x != nil {
		return x
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if x := b.index.Load(); x != nil {
		return x
	}
	all := make([]*Reporter, 0, len(b.byKey))
	for _, r := range b.byKey {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *Reporter) int { return cmp.Compare(a.key, b.key) })
	x := &index{at: make([]atomic.Pointer[Reporter], len(all))}
	for i, r := range all {
		x.at[i].Store(r)
	}
	b.index.Store(x)
	return x
}

// place finds a key's place by binary search.
func (x *index) place(key string) (int, bool) {
	low, high := 0, len(x.at)
	for low < high {
		mid := int(uint(low+high) >> 1)
		switch c := strings.Compare(x.at[mid].Load().key, key); {
		case c == 0:
			return mid, true
		case c < 0:
			low = mid + 1
		default:
			high = mid
		}
	}
	return 0, false
}

// replace puts a new incarnation in the place of its predecessor, where there
// is an index; b.mu is held.
func (b *Board) replace(r *Reporter) {
	b.byKey[r.key] = r
	if x := b.index.Load(); x != nil {
		if i, ok := x.place(r.key); ok {
			x.at[i].Store(r)
		}
	}
}

// find returns the current incarnation of a key. Right after a change of the
// board it takes the lock instead of making the index for one key.
func (b *Board) find(key string) *Reporter {
	if x := b.index.Load(); x != nil {
		yield()
		if i, ok := x.place(key); ok {
			return x.at[i].Load()
		}
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.byKey[key]
}

// Get returns what the board holds for a key now. An unknown key gives the zero
// Observation and false, never an error (S5.1). Get allocates only for a
// processor with workers.
func (b *Board) Get(key string) (o Observation, ok bool) {
	if b == nil {
		return o, false
	}
	r := b.find(key)
	if r == nil || !r.observe(b.now(), &o) {
		return Observation{}, false
	}
	return o, true
}
