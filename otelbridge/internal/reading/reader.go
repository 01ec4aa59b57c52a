package reading

import (
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/tiers"
)

// Prepare says what an exporter makes for each processor and each check, once.
// Functions may be called by several goroutines at a time.
type Prepare[P, C any] struct {
	// Processor is for the processor of a key on the board of a monitor, by the
	// monitor's index.
	Processor func(monitor int, key string) P
	// Check is for a check on its tiers.
	Check func(c *tiers.CheckState) C
}

// A Reader reads the sources of one exporter, for any number of collections at
// the same time.
type Reader[P, C any] struct {
	clock   board.Clock
	sources []*source[P]
	health  *health[C] // nil: no tiers
	passes  sync.Pool  // of *Pass[P, C]
}

// New returns a Reader of sources that Validate has accepted. A nil clock is the
// real one, and set may be nil.
func New[P, C any](monitors []*liveness.Monitor, set *tiers.Set, clock board.Clock, prepare Prepare[P, C]) *Reader[P, C] {
	if clock == nil {
		clock = realClock{}
	}
	r := &Reader[P, C]{clock: clock}
	r.passes.New = func() any { return new(Pass[P, C]) }
	for i, m := range monitors {
		r.sources = append(r.sources, &source[P]{
			monitor: m,
			prepare: func(key string) P { return prepare.Processor(i, key) },
		})
	}
	if set != nil {
		r.health = &health[C]{set: set, prepare: prepare.Check}
	}
	return r
}

// A Pass is what one collection read. It is its reader's until it is released.
type Pass[P, C any] struct {
	At     time.Time  // of the reading, for people
	Boards []Board[P] // by monitor
	Tiers  []Tier
	Checks []Check[C] // in the order of their names
}

// Read reads everything once. It waits for nothing and runs no check. Release the
// Pass, unless Read panicked in a clock of the user's.
func (r *Reader[P, C]) Read() *Pass[P, C] {
	p := r.passes.Get().(*Pass[P, C])
	p.At = r.clock.Now()
	if p.Boards == nil {
		p.Boards = make([]Board[P], len(r.sources))
	}
	for i, s := range r.sources {
		s.read(&p.Boards[i])
	}
	if r.health != nil {
		p.Tiers = r.health.readTiers(p.Tiers[:0])
		p.Checks = r.health.readChecks(p.Checks[:0])
	}
	return p
}

// Release gives back a Pass whose values are no longer needed.
func (r *Reader[P, C]) Release(p *Pass[P, C]) { r.passes.Put(p) }

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }
