package board

import (
	"sync/atomic"
	"time"
)

// A Reporter is the write end of one incarnation of a processor, or of one
// worker of it. Any goroutine may use it at any time; no report blocks, takes a
// lock, allocates (Fault allocates its cause) or returns an error. Every method
// does nothing on a nil Reporter and on one whose incarnation has ended.
//
// A Reporter comes from Register, Restart or Worker; its zero value is of no use.
type Reporter struct {
	record // two cache lines, first and so aligned

	// One cache line of what methods and readers want beside the record.
	board    *Board
	key      string
	interval time.Duration
	past     *past // nil for most
	// parent is nil but in a worker's reporter, whose key is its name.
	parent *Reporter
	pool   atomic.Pointer[pool]
	cause  atomic.Pointer[cause]
}

// past is what most processors do not have: lives before this one, and
// something to say beside an id. It does not change.
type past struct {
	details *Details
	rebuild bool
	// What the incarnations before this one add to its counters.
	beats          uint64
	starts, faults uint32
}

// reporter returns one that is not on the board yet; b.mu is held.
func (b *Board) reporter(key string, interval time.Duration) *Reporter {
	r := b.slab.take(len(b.byKey))
	r.key, r.interval = key, interval
	r.board = b
	return r
}

// begin makes r Unreported from now on. r is not published yet.
func (r *Reporter) begin() {
	r.store(pack(r.board.now(), code(Unreported), noLag))
}

// Key is the key of the processor that r, or the pool of the worker r, reports
// for; empty on nil.
func (r *Reporter) Key() string {
	switch {
	case r == nil:
		return ""
	case r.parent != nil:
		return r.parent.key
	}
	return r.key
}

// Beat says "I went round": the processor is Running with age 0. Inside a unit
// of work it is progress: the limit starts anew and the state stays Busy. Its
// cost is a reading of the clock and two atomic operations (S5.8, S5.9).
func (r *Reporter) Beat() {
	// Where the coarse clock stands since the last beat there is nothing to do.
	if r != nil && atomic.LoadUint64(&r.board.tick) != atomic.LoadUint64(&r.word)&^cellMask {
		r.beat()
	}
}

// Done ends a unit of work and is a beat: the processor is Running.
func (r *Reporter) Done() {
	if r != nil {
		r.report(finishing)
	}
}

// BeatLag is Beat with the lag, in events behind the head, both at the same
// instant. The lag is 0 to 2^53-1, as much as a metric can carry: what is below or
// above counts as the nearest of these, and is counted (Board.Events).
func (r *Reporter) BeatLag(lag int64) {
	if r != nil {
		r.beatLag(lag)
	}
}

// SetLag gives the lag alone, as BeatLag takes it: it is no beat, changes no
// state and does not count as having reported.
func (r *Reporter) SetLag(lag int64) {
	if r != nil {
		r.reportLag(noting, lag)
	}
}

// SetPosition gives the place in the stream that the loop has reached. It is no
// beat, changes no state and does not count as having reported. Position and
// the time of its last change are two registers: a reader may find a change
// younger than the position, never older.
func (r *Reporter) SetPosition(position int64) {
	if r == nil || r.load().mute() {
		return
	}
	at := uint64(r.board.now()) + 1
	switch {
	case r.positionAt.Load() == 0:
		r.position.Store(position)
		r.positionAt.Store(at)
	case r.position.Load() != position:
		r.positionAt.Store(at)
		yield()
		r.position.Store(position)
	}
}

// caughtUp takes note of a lag of zero: a position with nothing before it does
// not stand still, so what comes next finds it fresh.
func (r *record) caughtUp(at stamp) {
	if seen := r.positionAt.Load(); seen != 0 && seen <= uint64(at) {
		r.positionAt.CompareAndSwap(seen, uint64(at)+1) // or it changed just now
	}
}

// Idle says that the loop is about to wait for input, for as long as it takes.
// It is healthy at any age, but an Idle that lasts while the lag is known and
// above zero is seen as starving. Idle while Idle changes nothing.
func (r *Reporter) Idle() {
	if r != nil {
		r.report(waiting)
	}
}

// Busy says that the loop starts one unit of work, within the policy's
// BusyLimit. End it with Done, Idle or the next Busy.
func (r *Reporter) Busy() {
	if r != nil {
		r.report(working)
	}
}

// BusyFor is Busy with a limit for this unit alone, in whole milliseconds
// rounded up, 49 days at most. Zero or less is Busy, and so is a BusyFor that
// finds three others of the same Reporter stalled half-way.
func (r *Reporter) BusyFor(limit time.Duration) {
	if r == nil {
		return
	}
	if limit <= 0 {
		r.Busy()
		return
	}
	at := pack(r.board.now(), 0, 0)
	register := r.claimLimit(limit)
	yield()
	r.reportLimited(at, register)
}

// Standby says that another replica holds the lease: the loop does not run here
// and need not beat, until Resume or Restart.
func (r *Reporter) Standby() {
	if r != nil {
		r.report(yielding)
	}
}

// Pause says that the loop is held on purpose and need not beat, until Resume
// or Restart.
func (r *Reporter) Pause() {
	if r != nil {
		r.report(pausing)
	}
}

// Resume leaves Standby or Paused: the processor is Running with age 0 and must
// beat within its bound. It claims no turn, so it counts no beat.
func (r *Reporter) Resume() {
	if r != nil {
		r.report(resuming)
	}
}

// Stop says that the loop ended on purpose: drained, lease handed over, rebuild
// done. Only Restart leaves it, but a fault is still taken.
func (r *Reporter) Stop() {
	if r != nil {
		r.report(stopping)
	}
}
