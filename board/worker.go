package board

import (
	"fmt"
	"slices"
)

// A pool is the live workers of an incarnation and what the dismissed ones left
// to its counters. It is replaced as a whole, so that no beat is counted twice.
// A beat that is taken in the instant of a dismissal, or of an incarnation's
// end, may not be counted.
type pool struct {
	workers  []*Reporter
	beats    uint64
	reported bool
}

// Worker returns a Reporter for one member of a pool, with a line of its own:
// one stuck worker shows as the processor being stuck, and the verdict names
// it. A worker's fault faults the processor. Close dismisses the worker; the
// end of the incarnation ends it. While the processor itself is in Standby,
// Paused, Stopped or Faulted, its workers' lines do not count.
//
// The rules for ids hold for the name, which is unique among the live workers.
// A worker has no workers. On nil it returns nil and no error.
func (r *Reporter) Worker(name string) (*Reporter, error) {
	if r == nil {
		return nil, nil
	}
	w, err := r.hire(name)
	if err != nil {
		r.board.refused.Add(1)
		return nil, err
	}
	return w, nil
}

func (r *Reporter) hire(name string) (*Reporter, error) {
	if r.parent != nil {
		return nil, fmt.Errorf("board: worker %q of worker %q: a worker has no workers", name, r.key)
	}
	if err := validName(name); err != nil {
		return nil, fmt.Errorf("%w: worker of %q: %w", ErrInvalidID, r.key, err)
	}
	r.board.mu.Lock()
	defer r.board.mu.Unlock()
	old := r.crew()
	for _, w := range old.workers {
		if w.key == name {
			return nil, fmt.Errorf("%w: worker %q of %q", ErrDuplicate, name, r.key)
		}
	}
	return r.enlist(old, name), nil
}

// enlist adds a worker to the pool; board.mu is held. Under an ended
// incarnation the worker has ended too.
func (r *Reporter) enlist(p pool, name string) *Reporter {
	w := r.board.reporter(name, r.interval)
	w.parent = r
	w.begin()
	if r.load().mute() {
		w.finish(codeClosed)
		return w
	}
	p.workers = append(slices.Clip(p.workers), w)
	r.pool.Store(&p)
	return w
}

// dismiss ends a worker and folds its counters into the pool; board.mu is held.
func (r *Reporter) dismiss(w *Reporter) {
	end, ok := w.finish(codeClosed)
	if !ok {
		return
	}
	p := r.crew()
	p.workers = slices.DeleteFunc(slices.Clone(p.workers), func(x *Reporter) bool { return x == w })
	p.beats += w.beats.Load()
	p.reported = p.reported || end.reported()
	r.pool.Store(&p)
}

// restartWorker gives a worker a new line; its old reporter has ended.
func (r *Reporter) restartWorker() *Reporter {
	r.board.mu.Lock()
	defer r.board.mu.Unlock()
	if r.load().ended() {
		return r
	}
	r.parent.dismiss(r)
	return r.parent.enlist(r.parent.crew(), r.key)
}

// crew returns the pool, empty before the first worker.
func (r *Reporter) crew() pool {
	if p := r.pool.Load(); p != nil {
		return *p
	}
	return pool{}
}

// counts returns the starts and faults up to and with this incarnation.
func (r *Reporter) counts(w word) (starts, faults uint32) {
	if r.past != nil {
		starts, faults = r.past.starts, r.past.faults
	}
	if w.reported() || r.crewReported() {
		starts++
	}
	if w.faulted() {
		faults++
	}
	return starts, faults
}

func (r *Reporter) crewReported() bool {
	p := r.pool.Load()
	if p == nil {
		return false
	}
	return p.reported || slices.ContainsFunc(p.workers, func(w *Reporter) bool { return w.load().reported() })
}

// totalBeats returns the beats up to and with this incarnation and its workers.
func (r *Reporter) totalBeats() uint64 {
	n := r.beats.Load()
	if r.past != nil {
		n += r.past.beats
	}
	if p := r.pool.Load(); p != nil {
		n += p.beats
		for _, w := range p.workers {
			n += w.beats.Load()
		}
	}
	return n
}
