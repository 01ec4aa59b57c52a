package board

// word is everything that a report decides at one instant, in 64 bits:
//
//	stamp  57 bits  nanoseconds since the board's base; lasts 4.5 years
//	code    4 bits  a State, Busy with a limit of its own, or an end
//	cell    3 bits  which cell holds the lag; in an end, what the life was
//
// One compare-and-swap of it is a report's instant, so a state is never seen
// with another's stamp, a stamp never moves back, and Faulted needs no flag of
// its own to be sticky. The layout lives in memory only and may change.
type word uint64

const (
	cellBits   = 3
	codeBits   = 4
	stampShift = codeBits + cellBits
	stampBits  = 64 - stampShift
	maxStamp   = stamp(1)<<stampBits - 1

	cellMask = 1<<cellBits - 1
	codeMask = 1<<codeBits - 1
)

// stamp is a time in nanoseconds since the board's base.
type stamp uint64

// code is the State in a word, and what the eight states cannot say.
type code uint8

const (
	// codeLimited is Busy with the limit in register 0; the next codes name
	// the other registers.
	codeLimited code = code(Faulted) + 1
	// codeAbandoned is Faulted with the Reporter closed: the entry stays, and no
	// report is taken any more.
	codeAbandoned = codeLimited + limitRegisters
	// codeRestarted ended the incarnation: a new one begins at the stamp.
	codeRestarted = codeAbandoned + 1
	// codeClosed ended it for good.
	codeClosed = codeRestarted + 1
)

// Values of the cell field that name no cell.
const (
	noLag   = lagCells     // no lag was reported
	lostLag = lagCells + 1 // reported, but every cell was being written
)

// Bits of the cell field in an ended word.
const (
	endReported = 1 << iota // the incarnation had reported something
	endFaulted              // it had faulted
)

func pack(at stamp, c code, cell int) word {
	return word(at)<<stampShift | word(c)<<cellBits | word(cell)
}

func (w word) stamp() stamp { return stamp(w >> stampShift) }
func (w word) code() code   { return code(w>>cellBits) & codeMask }
func (w word) cell() int    { return int(w & cellMask) }

// reading is w without its cell: the form of a coarse clock's reading.
func (w word) reading() word { return w &^ cellMask }

// clock is w's stamp alone, in place.
func (w word) clock() word { return w &^ (1<<stampShift - 1) }

func (w word) ended() bool { return w.code() >= codeRestarted }

// state is the State to show; an ended word shows Unreported.
func (w word) state() State {
	switch c := w.code(); {
	case c <= code(Faulted):
		return State(c)
	case c < codeAbandoned:
		return Busy
	case c == codeAbandoned:
		return Faulted
	}
	return Unreported
}

// limit is the register of the unit's own limit, or -1.
func (w word) limit() int {
	if c := w.code(); c >= codeLimited && c < codeAbandoned {
		return int(c - codeLimited)
	}
	return -1
}

// reported tells whether the incarnation has reported anything.
func (w word) reported() bool {
	if w.ended() {
		return w.cell()&endReported != 0
	}
	return w.code() != code(Unreported)
}

// faulted tells whether the incarnation has faulted.
func (w word) faulted() bool {
	if w.ended() {
		return w.cell()&endFaulted != 0
	}
	return w.code() == code(Faulted) || w.code() == codeAbandoned
}

// mute tells whether no report is taken any more.
func (w word) mute() bool { return w.code() >= codeAbandoned }

// to returns w moved to a code at another word's stamp, with its lag as it was.
// The stamp never moves back: of two clock readings the later one holds.
func (w word) to(at word, c code) word {
	return max(at.clock(), w.clock()) | word(c)<<cellBits | w&cellMask
}

// end returns the word that ends w's incarnation, keeping what its counters
// are derived from.
func (w word) end(at stamp, c code) word {
	var life int
	if w.reported() {
		life |= endReported
	}
	if w.faulted() {
		life |= endFaulted
	}
	return pack(max(at, w.stamp()), c, life)
}
