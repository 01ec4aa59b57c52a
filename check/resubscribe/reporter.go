package resubscribe

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"
)

// Reporter is what a Guard tells how it goes: Busy while an attempt is in flight, so
// that a loop which subscribes again and again is not a silent one, and Idle otherwise.
// A *board.Reporter is one. The methods must not block.
//
// BusyFor says that an attempt is in flight, with the ceiling and a floor as its limit:
// the loop is stuck that goes on after it without an answer or a next Begin. Done says
// that an attempt has ended with an answer, and Idle that none is in flight.
type Reporter interface {
	BusyFor(limit time.Duration)
	Done()
	Idle()
}

// report tells the Reporter, one call at a time and in the order of what happened. It
// tells how things are and not each thing that happened: where two follow so closely
// that the second is there before the first was told, the second is told.
type report struct {
	to Reporter // nil: nobody

	stale atomic.Bool
	mu    sync.Mutex
	told  standing
}

// standing is what a Reporter knows of a Guard.
type standing struct {
	busy    bool
	attempt uint64 // the newest
	answers uint64
}

// show brings the Reporter up to date. Whoever finds another at it leaves it to him.
func (r *report) show(g *Guard) {
	if r.to == nil {
		return
	}
	r.stale.Store(true)
	for r.stale.Load() && r.mu.TryLock() {
		r.catchUp(g)
	}
}

// catchUp tells what is new. r.mu is held, and given back whatever the Reporter does.
func (r *report) catchUp(g *Guard) {
	defer r.mu.Unlock()
	defer func() { _ = recover() }()
	r.stale.Store(false)
	now, before := g.standing(), r.told
	r.told = now
	if now.answers != before.answers {
		r.to.Done()
	}
	switch {
	case now.busy && (!before.busy || now.attempt != before.attempt):
		r.to.BusyFor(g.config.Ceiling + min(g.config.Floor, Never-g.config.Ceiling))
	case !now.busy && (before.busy || now.attempt != before.attempt):
		r.to.Idle()
	}
}

// standing is how things are. While no call of Run returns the Guard is busy with them,
// and in time stuck.
func (g *Guard) standing() standing {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := &g.ledger
	return standing{busy: l.inFlight || g.full, attempt: l.attempt.ID, answers: l.answered}
}

// isNil tells whether a collaborator is there and can never do anything.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice, reflect.Chan:
		return r.IsNil()
	default:
		return false
	}
}
