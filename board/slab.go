package board

// slabAfter is how many processors a board holds before its reporters come from
// slabs, and slabSize how many reporters share one: 48 KiB. The runtime aligns
// what is larger than 32 KiB to a page, so that reporters stay aligned.
const (
	slabAfter = 1024
	slabSize  = 256
)

// A slab is room for reporters side by side. A million objects cost the
// collector more to find than to look at; a slab is one object. Nothing in it
// is used twice: it lives as long as any of its reporters, which is why small
// boards do without.
type slab struct{ free []Reporter }

// take returns a zero Reporter; board.mu is held.
func (s *slab) take(processors int) *Reporter {
	if processors < slabAfter {
		return new(Reporter)
	}
	if len(s.free) == 0 {
		s.free = make([]Reporter, slabSize)
	}
	r := &s.free[0]
	s.free = s.free[1:]
	return r
}
