package board

// Restart begins a new incarnation, Unreported, and returns its Reporter; the
// old one and its workers write into the void from then on (rule 2). It is the
// only way out of Faulted and Stopped. Nothing is carried over but the
// counters: a fault that was taken stays counted. On a Reporter that has ended
// Restart changes nothing and returns it; on nil it returns nil.
//
// Restart of a worker gives that worker a new line under the same processor.
func (r *Reporter) Restart() *Reporter {
	if r == nil {
		return nil
	}
	if r.parent != nil {
		return r.restartWorker()
	}
	b := r.board
	b.mu.Lock()
	defer b.mu.Unlock()
	last, ok := r.finish(codeRestarted)
	if !ok {
		return r
	}
	next := b.reporter(r.key, r.interval)
	next.past = r.past
	next.inherit(r, last)
	yield()
	b.replace(next)
	return next
}

// inherit takes over the counters of an incarnation that ended with the given
// word, and begins at that word's instant.
func (r *Reporter) inherit(old *Reporter, end word) {
	var p past
	if r.past != nil {
		p = *r.past
	}
	p.starts, p.faults = old.counts(end)
	p.beats = old.totalBeats()
	r.past = &p
	r.store(pack(end.stamp(), code(Unreported), noLag))
}

// Close ends the Reporter and takes its processor, or worker, off the board.
// Only a faulted processor stays, so that "defer r.Close()" never hides a
// fault, until Restart, Register of the same key, or Board.Remove.
func (r *Reporter) Close() {
	if r == nil {
		return
	}
	b := r.board
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case r.parent != nil:
		r.parent.dismiss(r)
	case r.load().ended():
	case r.abandon():
	default:
		b.drop(r)
	}
}

// abandon ends the Reporter of a processor: the incarnation with it, unless it
// is faulted, which abandon tells. A fault that comes later meets a word that
// takes none. The incarnation has not ended yet, and board.mu is held.
func (r *Reporter) abandon() (faulted bool) {
	for {
		w := r.load()
		next := w.end(r.board.now(), codeClosed)
		if w.faulted() {
			next = w.to(w, codeAbandoned)
		}
		if r.swap(w, next) {
			r.endWorkers()
			return w.faulted()
		}
	}
}

// abandoned tells whether Close was called on the faulted processor, whose
// entry stayed.
func (r *Reporter) abandoned() bool { return r.load().code() == codeAbandoned }

// finish ends the incarnation: that is its instant. Its workers end with it. It
// returns the ended word, and false when it had ended before; board.mu is held.
func (r *Reporter) finish(c code) (word, bool) {
	for {
		w := r.load()
		if w.ended() {
			return w, false
		}
		end := w.end(r.board.now(), c)
		if r.swap(w, end) {
			r.endWorkers()
			return end, true
		}
	}
}

// endWorkers ends the workers of an incarnation that has ended; board.mu is held.
func (r *Reporter) endWorkers() {
	for _, worker := range r.crew().workers {
		worker.finish(codeClosed)
	}
}
