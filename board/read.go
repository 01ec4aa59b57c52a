package board

import "time"

// read returns the line at one instant: the word, and the lag and the limit
// that the word names. A read that is disturbed begins anew; whoever disturbed
// it has finished a report.
func (r *record) read(now stamp, l *Line) word {
	for {
		w := r.load()
		cell, register := w.cell(), w.limit()
		l.Lag, l.LagAge, l.LagKnown, l.Limit = 0, 0, false, 0
		if !w.ended() && (cell < lagCells || register >= 0) && !r.readDetail(now, w, l) {
			continue
		}
		l.State = w.state()
		l.Age = ageOf(now, w.stamp())
		l.Beats = r.beats.Load()
		r.readPosition(now, l)
		return w
	}
}

// readPosition reads the position before its time, so that a change is never
// found older than the position.
func (r *record) readPosition(now stamp, l *Line) {
	if r.positionAt.Load() == 0 {
		l.Position, l.PositionAge, l.PositionKnown = 0, 0, false
		return
	}
	l.Position = r.position.Load()
	l.PositionAge = ageOf(now, stamp(r.positionAt.Load()-1))
	l.PositionKnown = true
}

// readDetail reads the lag and the limit that w names and tells whether they
// belong to it. The cell's lag and the register are looked at before and after the
// second load of the word. That load is the instant of the read: the
// word names them then, so the first look saw them as they were published, and
// the second look proves that no other report has claimed them since.
func (r *record) readDetail(now stamp, w word, l *Line) bool {
	register, cell := w.limit(), w.cell()
	var limit uint32
	if register >= 0 {
		limit = r.readLimit(register)
		l.Limit = time.Duration(limit) * time.Millisecond
	}
	if cell >= lagCells {
		return r.load() == w && limit != 0 && limit == r.readLimit(register)
	}
	c := &r.cells[cell]
	held := c.look()
	if r.load() != w {
		return false
	}
	l.Lag, l.LagKnown = int64(held>>lagShift), true
	l.LagAge = ageOf(now, c.reported())
	return c.look() == held && (register < 0 || limit != 0 && limit == r.readLimit(register))
}

// ageOf is never negative: a report newer than the pass's clock reading is new.
func ageOf(now, at stamp) time.Duration {
	if at >= now {
		return 0
	}
	return time.Duration(now - at)
}

// observe fills o and tells whether the processor is on the board. Most of a
// pass meets processors that have no workers, no fault and no limit of their
// own, and no report in the way: they are read here, everything else in full.
//
// Fields that hold a pointer are written only when they change: o is mostly one
// buffer for a whole board, and such writes cost more.
func (r *Reporter) observe(now stamp, o *Observation) bool {
	w := r.load()
	if w.code() >= code(Faulted) || r.pool.Load() != nil {
		return r.observeFull(now, o)
	}
	if cell := w.cell(); cell < lagCells {
		c := &r.cells[cell]
		held := c.look()
		if r.load() != w {
			return r.observeFull(now, o)
		}
		o.Lag, o.LagAge, o.LagKnown = int64(held>>lagShift), ageOf(now, c.reported()), true
		if c.look() != held {
			return r.observeFull(now, o)
		}
	} else {
		o.Lag, o.LagAge, o.LagKnown = 0, 0, false
	}
	o.State, o.Age, o.Limit = w.state(), ageOf(now, w.stamp()), 0
	o.Beats = r.beats.Load()
	r.readPosition(now, &o.Line)
	o.Starts, o.Faults = 0, 0
	if w.reported() {
		o.Starts = 1
	}
	r.describe(o)
	if p := r.past; p != nil {
		o.Beats += p.beats
		o.Starts += uint64(p.starts)
		o.Faults += uint64(p.faults)
	}
	return true
}

// describe sets what does not change while the incarnation lives.
func (r *Reporter) describe(o *Observation) {
	o.Key, o.Interval, o.Rebuild = r.key, r.interval, false
	var details *Details
	if r.past != nil {
		o.Rebuild, details = r.past.rebuild, r.past.details
	}
	if o.Details != details {
		o.Details = details
	}
	if o.Err != nil {
		o.Err, o.FaultedBy = nil, ""
	}
	if len(o.Workers) > 0 {
		o.Workers = o.Workers[:0]
	}
}

// observeFull is observe for any processor. A record that was restarted a
// moment ago, with its successor not yet in place, shows what the successor
// does: Unreported since the restart.
func (r *Reporter) observeFull(now stamp, o *Observation) bool {
	for {
		w := r.read(now, &o.Line)
		if w.code() == codeClosed {
			return false
		}
		r.describe(o)
		if w.faulted() && !w.ended() {
			c := r.cause.Load()
			o.Err, o.FaultedBy = c.err, c.worker
		}
		starts, faults := r.counts(w)
		o.Starts, o.Faults = uint64(starts), uint64(faults)
		o.Beats = r.totalBeats()
		if w.ended() {
			return true
		}
		for _, worker := range r.crew().workers {
			r.observeWorker(worker, now, o)
		}
		// Workers of an ended incarnation write into the void: what was read
		// of them counts only if the incarnation still lives.
		if !r.load().ended() {
			return true
		}
	}
}

func (r *Reporter) observeWorker(worker *Reporter, now stamp, o *Observation) {
	// The buffer's old element is reused; read sets every field of the line.
	if n := len(o.Workers); n < cap(o.Workers) {
		o.Workers = o.Workers[:n+1]
	} else {
		o.Workers = append(o.Workers, WorkerLine{})
	}
	line := &o.Workers[len(o.Workers)-1]
	line.Name = worker.key
	if worker.read(now, &line.Line).ended() {
		o.Workers = o.Workers[:len(o.Workers)-1]
	}
}
