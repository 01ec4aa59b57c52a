package casmember

import "sync/atomic"

// work counts what runs under the claim of this node.
type work struct {
	running atomic.Int64
	drained chan struct{} // told when running has become 0; holds one
}

// begin counts a piece of work until done is called.
func (w *work) begin() (done func()) {
	w.running.Add(1)
	var ended atomic.Bool
	return func() {
		if ended.CompareAndSwap(false, true) && w.running.Add(-1) == 0 && w.drained != nil {
			nudge(w.drained)
		}
	}
}
