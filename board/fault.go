package board

import "errors"

// errNoCause is the cause of a Fault(nil), so that Faulted always has one.
var errNoCause = errors.New("board: fault without a cause")

// cause is why and when an incarnation faulted. The first one is kept.
type cause struct {
	err    error
	worker string
	at     stamp
}

// Fault says that the loop stopped for good (S5.10). It is taken in every state
// but Faulted, counts once for an incarnation and keeps the first cause; only
// Restart leaves it. The lag from before stays readable. A worker's fault
// faults its processor. A nil err gets a cause that says so.
func (r *Reporter) Fault(err error) {
	if r == nil {
		return
	}
	if err == nil {
		err = errNoCause
	}
	c := &cause{err: err, at: r.board.now()}
	if r.parent != nil {
		if r.load().ended() {
			return
		}
		c.worker = r.key
		r.parent.fault(c)
	}
	r.fault(c)
}

// fault stores the cause before the word, so that a reader that sees Faulted
// finds one. A fault that finds another's cause stored carries that one out: it
// came first, and both are in progress.
func (r *Reporter) fault(c *cause) {
	if !r.cause.CompareAndSwap(nil, c) {
		c = r.cause.Load()
	}
	yield()
	for {
		from := r.load()
		if from.faulted() || from.ended() {
			return
		}
		if r.swap(from, from.to(pack(c.at, 0, 0), code(Faulted))) {
			r.releaseLimit(from.limit())
			return
		}
	}
}
