package rival

import (
	"sync/atomic"
	"time"
)

// Timers watch processors as one would at first: each has a timer of its own,
// which looks whether the processor is silent and starts itself again. They are
// spread evenly over the interval.
type Timers struct {
	stopped atomic.Bool
	looks   atomic.Int64
	silent  atomic.Int64
	timers  []*time.Timer
}

// StartTimers has every record looked at each interval until Stop.
func StartTimers(records []*Record, every time.Duration) *Timers {
	t := &Timers{timers: make([]*time.Timer, len(records))}
	for i, r := range records {
		started := make(chan struct{})
		t.timers[i] = time.AfterFunc(every*time.Duration(i+1)/time.Duration(len(records)), func() {
			<-started
			t.looks.Add(1)
			if r.Stale(time.Now()) {
				t.silent.Add(1)
			}
			if !t.stopped.Load() {
				t.timers[i].Reset(every)
			}
		})
		close(started)
	}
	return t
}

// Looks returns how often a timer has looked, and how often at a processor that
// was silent.
func (t *Timers) Looks() (all, silent int64) { return t.looks.Load(), t.silent.Load() }

// Stop ends all timers. A look that is in progress may end a moment later.
func (t *Timers) Stop() {
	t.stopped.Store(true)
	for _, timer := range t.timers {
		timer.Stop()
	}
}
