package board

import "time"

// read returns the line at one instant: the word, and the lag and the limit
// that the word names. The cell's meta word is looked at before and after the
// lag, and the word after the first look and at the end: the second load of the
// word proves that the first look saw this word's cell, the second look that no
// other report has claimed the cell since. A read that is disturbed begins
// anew; whoever disturbed it has finished a report.
func (r *record) read(now stamp, l *Line) word {
	for {
		w := r.load()
		cell, register := w.cell(), w.limit()
		if w.ended() || cell >= lagCells && register < 0 {
			l.Lag, l.LagAge, l.LagKnown, l.Limit = 0, 0, false, 0
			r.fill(now, w, l)
			return w
		}
		var limit uint32
		if register >= 0 {
			limit = r.limits[register].Load()
		}
		l.Limit = time.Duration(limit) * time.Millisecond
		if cell >= lagCells {
			l.Lag, l.LagAge, l.LagKnown = 0, 0, false
		} else {
			c := &r.cells[cell]
			meta := c.meta.Load()
			yield()
			if r.load() != w {
				continue
			}
			l.Lag, l.LagKnown = c.lag.Load(), true
			l.LagAge = age(now, stamp(meta>>cellShift))
			yield()
			if c.meta.Load() != meta {
				continue
			}
		}
		if register >= 0 && r.limits[register].Load() != limit || r.load() != w {
			continue
		}
		r.fill(now, w, l)
		return w
	}
}

// fill sets what the word alone says, and the registers beside it.
func (r *record) fill(now stamp, w word, l *Line) {
	l.State = w.state()
	l.Age = age(now, w.stamp())
	l.Beats = r.beats.Load()
	l.PositionKnown = false
	if r.positionAt.Load() != 0 {
		l.Position = r.position.Load()
		l.PositionAge = age(now, stamp(r.positionAt.Load()-1))
		l.PositionKnown = true
	} else {
		l.Position, l.PositionAge = 0, 0
	}
}

// age is never negative: a report newer than the pass's clock reading is new.
func age(now, at stamp) time.Duration {
	if at >= now {
		return 0
	}
	return time.Duration(now - at)
}

// observe fills o and tells whether the processor is on the board. A record
// that was restarted a moment ago, with its successor not yet in place, shows
// what the successor does: Unreported since the restart.
func (r *Reporter) observe(now stamp, o *Observation) bool {
	for {
		w := r.read(now, &o.Line)
		if w.code() == codeClosed {
			return false
		}
		o.Key, o.Interval, o.Rebuild, o.Details = r.key, r.interval, r.rebuild, r.details
		o.Err, o.FaultedBy = nil, ""
		if w.faulted() && !w.ended() {
			c := r.cause.Load()
			o.Err, o.FaultedBy = c.err, c.worker
		}
		o.Workers = o.Workers[:0]
		o.Starts, o.Faults = r.counts(w)
		o.Beats = r.beatsBefore + r.beats.Load()
		p := r.pool.Load()
		if p == nil {
			return true
		}
		o.Beats = r.totalBeats()
		if w.ended() {
			return true
		}
		for _, worker := range p.workers {
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
