package board

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A Board holds one line for every processor. Use New: the zero Board registers
// nothing and says so. A nil *Board is legal and free: it registers nothing and
// shows nothing (S5.5).
//
// Reports take no lock. Register, Restart, Worker, Close and Remove change the
// set of lines and take one, and so does Len; reads take it only after such a
// change.
type Board struct {
	// One cache line of what every report wants, written by Run only.
	tick   uint64 // atomic; see setTick
	base   time.Time
	clock  Clock        // nil: the monotonic clock
	coarse *coarseClock // nil: none
	_      [8]byte

	name    string
	limit   int
	invalid error // what New was given wrong, told by Register and Run

	refused, clamped atomic.Uint64

	mu    sync.Mutex
	byKey map[string]*Reporter
	slab  slab
	// index is byKey in key order, for readers; nil after a change.
	index atomic.Pointer[index]
}

// errZeroBoard is what a Board that New has not made says.
var errZeroBoard = errors.New("board: zero Board: use New")

// New returns an empty board. A contradictory option is told by the first
// Register and by Run.
func New(opts ...Option) *Board {
	b := &Board{byKey: make(map[string]*Reporter)}
	for _, o := range opts {
		if o != nil {
			o.apply(b)
		}
	}
	b.invalid = b.validate()
	b.stopTick()
	if b.clock != nil {
		b.base = b.clock.Now()
	} else {
		b.base = time.Now()
	}
	return b
}

func (b *Board) validate() error {
	if b.limit < 0 {
		return fmt.Errorf("board: maximum processors %d: must be 0 (no limit) or more", b.limit)
	}
	if b.name != "" {
		if err := validName(b.name); err != nil {
			return fmt.Errorf("board: name: %w", err)
		}
	}
	if b.coarse != nil {
		return b.coarse.validate()
	}
	return nil
}

// Name is the name given WithName, or empty.
func (b *Board) Name() string {
	if b == nil {
		return ""
	}
	return b.name
}

// Register adds a processor and returns the Reporter of its first incarnation.
// A wrong Spec, a key that is live, and a full board are errors; what was on
// the board goes on unharmed. On a nil board it returns nil and no error.
//
// A key whose processor faulted and was then closed may be registered again:
// like Restart, that begins its next incarnation, and its counters go on.
func (b *Board) Register(s Spec) (*Reporter, error) {
	if b == nil {
		return nil, nil
	}
	r, err := b.register(s)
	if err != nil {
		b.refused.Add(1)
		return nil, err
	}
	return r, nil
}

// MustRegister is Register for wiring at the start of a program: it panics on
// an error.
func (b *Board) MustRegister(s Spec) *Reporter {
	r, err := b.Register(s)
	if err != nil {
		panic(err)
	}
	return r
}

func (b *Board) register(s Spec) (*Reporter, error) {
	switch {
	case b.byKey == nil:
		return nil, errZeroBoard
	case b.invalid != nil:
		return nil, b.invalid
	}
	if err := s.validate(); err != nil {
		return nil, err
	}
	key := s.key()
	b.mu.Lock()
	defer b.mu.Unlock()
	old, live := b.byKey[key]
	if live && !old.abandoned() {
		return nil, fmt.Errorf("%w: %q", ErrDuplicate, key)
	}
	if !live && b.limit > 0 && len(b.byKey) >= b.limit {
		return nil, fmt.Errorf("%w: %q would be processor %d: the maximum is %d", ErrFull, key, b.limit+1, b.limit)
	}
	r := b.reporter(key, cmp.Or(s.Interval, DefaultInterval))
	r.past = s.past()
	if live {
		end, _ := old.finish(codeRestarted)
		r.inherit(old, end)
	} else {
		r.begin()
	}
	b.byKey[r.key] = r
	b.index.Store(nil)
	return r, nil
}

// Remove takes a processor off the board, whatever its state, and ends its
// Reporter. It tells whether there was one.
func (b *Board) Remove(key string) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.byKey[key]
	if ok {
		b.drop(r)
	}
	return ok
}

// drop ends r and takes it off the board; b.mu is held.
func (b *Board) drop(r *Reporter) {
	r.finish(codeClosed)
	delete(b.byKey, r.key)
	b.index.Store(nil)
}

// Len is the number of processors on the board.
func (b *Board) Len() int {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.byKey)
}

// Events are counts of what a board refused or corrected since New. They only
// grow.
type Events struct {
	RefusedRegistrations uint64 // Register and Worker calls that returned an error
	ClampedLags          uint64 // lags below 0 taken for 0, or above 2^53-1 for that
}

// Events returns the counts; zero on a nil board.
func (b *Board) Events() Events {
	if b == nil {
		return Events{}
	}
	return Events{RefusedRegistrations: b.refused.Load(), ClampedLags: b.clamped.Load()}
}
