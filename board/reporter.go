package board

import (
	"sync/atomic"
	"time"
)

// A Reporter is the write end of one incarnation of a processor, or of one
// worker of it. Any goroutine may use it at any time; no report blocks, takes a
// lock, allocates (Fault allocates its cause) or returns an error. Every method
// does nothing on a nil Reporter and on one whose incarnation has ended.
type Reporter struct {
	record // first, so that it is aligned to a cache line

	board    *Board
	key      string
	interval time.Duration
	rebuild  bool
	// abandoned: Close was called on a faulted processor, whose entry stays.
	// Guarded by board.mu.
	abandoned bool
	details   *Details

	// parent is nil but in a worker's reporter, whose key is its name.
	parent *Reporter
	pool   atomic.Pointer[pool]
	cause  atomic.Pointer[cause]

	// What the incarnations before this one add to its counters.
	starts, faults, beatsBefore uint64
}

func newReporter(b *Board, s Spec) *Reporter {
	r := &Reporter{board: b, key: s.key(), interval: s.Interval, rebuild: s.Rebuild != ""}
	if r.interval == 0 {
		r.interval = DefaultInterval
	}
	if s.Details != (Details{}) {
		r.details = &s.Details
	}
	return r
}

// begin makes r Unreported from now on. r is not published yet.
func (r *Reporter) begin() {
	r.word.Store(uint64(pack(r.board.now(), code(Unreported), noLag)))
}

// Key is the processor's key, or the worker's name; empty on nil.
func (r *Reporter) Key() string {
	if r == nil {
		return ""
	}
	return r.key
}

// Beat says "I went round": the processor is Running with age 0. Inside a unit
// of work it is progress: the limit starts anew and the state stays Busy. Its
// cost is a reading of the clock and two atomic operations (S5.8, S5.9).
func (r *Reporter) Beat() {
	if r == nil {
		return
	}
	r.beat(&beating)
}

// Done ends a unit of work and is a beat: the processor is Running.
func (r *Reporter) Done() {
	if r == nil {
		return
	}
	r.beat(&finishing)
}

func (r *Reporter) beat(m *move) {
	from, to, taken := r.report(r.board.now(), m)
	if !taken || from == to && r.board.coarse != nil {
		return // on a coarse clock one beat a tick is counted
	}
	r.beats.Add(1)
}

// BeatLag is Beat with the lag, in events behind the head, both at the same
// instant. A negative lag counts as zero and is counted (Board.Events).
func (r *Reporter) BeatLag(lag int64) {
	if r == nil {
		return
	}
	if r.reportLag(r.board.now(), &beating, r.board.clampLag(lag)) {
		r.beats.Add(1)
	}
}

// SetLag gives the lag alone: it is no beat, changes no state and does not
// count as having reported.
func (r *Reporter) SetLag(lag int64) {
	if r == nil {
		return
	}
	r.reportLag(r.board.now(), &noting, r.board.clampLag(lag))
}

func (b *Board) clampLag(lag int64) int64 {
	if lag < 0 {
		b.clamped.Add(1)
		return 0
	}
	return lag
}

// SetPosition gives the place in the stream that the loop has reached. It is no
// beat, changes no state and does not count as having reported. Position and
// the time of its last change are two registers: a reader may find a change
// younger than the position, never older.
func (r *Reporter) SetPosition(position int64) {
	if r == nil || r.load().ended() {
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

// Idle says that the loop is about to wait for input, for as long as it takes.
// It is healthy at any age, but an Idle that lasts while the lag is known and
// above zero is seen as starving. Idle while Idle changes nothing.
func (r *Reporter) Idle() {
	if r == nil {
		return
	}
	r.report(r.board.now(), &waiting)
}

// Busy says that the loop starts one unit of work, within the policy's
// BusyLimit. End it with Done, Idle or the next Busy.
func (r *Reporter) Busy() {
	if r == nil {
		return
	}
	r.report(r.board.now(), &working)
}

// BusyFor is Busy with a limit for this unit alone, in whole milliseconds
// rounded up, 49 days at most. Zero or less is Busy.
func (r *Reporter) BusyFor(limit time.Duration) {
	if r == nil {
		return
	}
	if limit <= 0 {
		r.Busy()
		return
	}
	at := r.board.now()
	register := r.claimLimit(limit)
	yield()
	r.reportLimited(at, register)
}

// Standby says that another replica holds the lease: the loop does not run here
// and need not beat, until Resume or Restart.
func (r *Reporter) Standby() {
	if r == nil {
		return
	}
	r.report(r.board.now(), &yielding)
}

// Pause says that the loop is held on purpose and need not beat, until Resume
// or Restart.
func (r *Reporter) Pause() {
	if r == nil {
		return
	}
	r.report(r.board.now(), &pausing)
}

// Resume leaves Standby or Paused: the processor is Running with age 0 and must
// beat within its bound. It claims no turn, so it counts no beat.
func (r *Reporter) Resume() {
	if r == nil {
		return
	}
	r.report(r.board.now(), &resuming)
}

// Stop says that the loop ended on purpose: drained, lease handed over, rebuild
// done. Only Restart leaves it, but a fault is still taken.
func (r *Reporter) Stop() {
	if r == nil {
		return
	}
	r.report(r.board.now(), &stopping)
}
