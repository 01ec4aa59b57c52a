package reading

import (
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/tiers"
)

// Prepare says what an exporter makes for each processor, each check and each
// series of redundancy, and each guard, once. Functions may be called by several goroutines at a
// time.
type Prepare[P, C, S any] struct {
	// Processor is for the processor of a key on the board of a monitor, by the
	// monitor's index.
	Processor func(monitor int, key string) P
	// Check is for a check on its tiers.
	Check func(c *tiers.CheckState) C
	// Series is for one series of the redundancy node.
	Series func(SeriesID) S
	// Guard is for all series of the guard of a key.
	Guard func(key string) S
}

// A Reader reads the sources of one exporter, for any number of collections at
// the same time.
type Reader[P, C, S any] struct {
	clock   board.Clock
	sources []*source[P]
	health  *health[C] // nil: no tiers
	node    *node[S]   // nil: no redundancy
	guards  []guard[S]
	passes  sync.Pool // of *Pass[P, C, S]
}

// New returns a Reader of sources that Validate has accepted. A nil clock is the
// real one.
func New[P, C, S any](src Sources, clock board.Clock, prepare Prepare[P, C, S]) *Reader[P, C, S] {
	if clock == nil {
		clock = realClock{}
	}
	r := &Reader[P, C, S]{clock: clock}
	r.passes.New = func() any { return new(Pass[P, C, S]) }
	for i, m := range src.Monitors {
		r.sources = append(r.sources, &source[P]{
			monitor: m,
			prepare: func(key string) P { return prepare.Processor(i, key) },
		})
	}
	if src.Tiers != nil {
		r.health = &health[C]{set: src.Tiers, prepare: prepare.Check}
	}
	if src.Redundancy != nil {
		r.node = &node[S]{state: src.Redundancy.State, prepare: prepare.Series}
	}
	r.guards = newGuards(src.Guards, prepare.Guard)
	return r
}

// A Pass is what one collection read. It is its reader's until it is released.
type Pass[P, C, S any] struct {
	At     time.Time  // of the reading, for people
	Boards []Board[P] // by monitor
	Tiers  []Tier
	Checks []Check[C] // in the order of their names
	// Redundancy is by metric, and then in the order of the values of their
	// attributes.
	Redundancy []Series[S]
	Guards     []Guard[S] // in the order of their keys
}

// Read reads everything once. It waits for nothing and runs no check. Release the
// Pass, unless Read panicked in a clock of the user's.
func (r *Reader[P, C, S]) Read() *Pass[P, C, S] {
	p := r.passes.Get().(*Pass[P, C, S])
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
	if r.node != nil {
		p.Redundancy = r.node.read(p.Redundancy[:0], p.At)
	}
	p.Guards = readGuards(p.Guards[:0], r.guards)
	return p
}

// Release gives back a Pass whose values are no longer needed.
func (r *Reader[P, C, S]) Release(p *Pass[P, C, S]) { r.passes.Put(p) }

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }
