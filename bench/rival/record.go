package rival

import (
	"sync"
	"time"
)

// Record is the plain struct one would write by hand for a processor.
type Record struct {
	mu       sync.Mutex
	id       string
	interval time.Duration
	lastBeat time.Time
	lag      int64
	state    uint8
	err      error
}

// Records is the map it lives in. The map itself is filled before the loops
// start, as wiring code does, and has no lock of its own.
type Records map[string]*Record

// Add puts a processor with an id and an interval on the map and returns it.
func (rs Records) Add(id string, interval time.Duration) *Record {
	r := &Record{id: id, interval: interval}
	rs[id] = r
	return r
}

// BeatLag reports a turn of the loop and how far it is behind.
func (r *Record) BeatLag(lag int64, at time.Time) {
	r.mu.Lock()
	r.lastBeat, r.lag, r.state = at, lag, 1
	r.mu.Unlock()
}

// Fault reports the end of the loop.
func (r *Record) Fault(err error) {
	r.mu.Lock()
	r.err, r.state = err, 2
	r.mu.Unlock()
}

// Read returns what was reported.
func (r *Record) Read() (lastBeat time.Time, lag int64, state uint8, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lastBeat, r.lag, r.state, r.err
}

// Stale says whether the loop was silent for longer than five intervals.
func (r *Record) Stale(now time.Time) bool {
	lastBeat, _, _, _ := r.Read()
	return now.Sub(lastBeat) > 5*r.interval
}
