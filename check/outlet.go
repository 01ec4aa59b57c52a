package check

import "sync"

// outletSize is how many samples wait for a hook that is slow.
const outletSize = 16

// outlet hands samples to one hook, in order, one at a time and outside every
// lock. Each hook has its own, so that one that blocks for ever holds up
// neither the check nor the other hooks. A goroutine exists only while there
// is something to hand over.
type outlet struct {
	call func(Sample)

	mu      sync.Mutex
	queue   []Sample
	idle    chan struct{} // closed when the goroutine ends; nil while there is none
	dropped uint64
}

// put queues s and never blocks: past the bound the oldest sample makes room,
// because the newest is the one that still matters.
func (o *outlet) put(s Sample) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == outletSize {
		o.queue = append(o.queue[:0], o.queue[1:]...)
		o.dropped++
	}
	o.add(s)
}

// nudge queues a reminder, which is worth no sample: where the queue is full
// there are newer ones to come.
func (o *outlet) nudge(reminder Sample) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) < outletSize {
		o.add(reminder)
	}
}

// add queues s and sees to it that it is handed over. The caller holds o.mu.
func (o *outlet) add(s Sample) {
	o.queue = append(o.queue, s)
	if o.idle == nil {
		o.idle = make(chan struct{})
		go o.drain()
	}
}

// drain calls the hook until nothing is queued. A hook that panics or ends
// the goroutine has had its sample; the rest is left to a new goroutine.
func (o *outlet) drain() {
	finished := false
	defer func() {
		if finished {
			return
		}
		_ = recover() // a hook's panic is its own affair; there is nobody to tell
		go o.drain()
	}()
	for {
		s, ok := o.next()
		if !ok {
			finished = true
			return
		}
		o.call(s)
	}
}

func (o *outlet) next() (Sample, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		close(o.idle)
		o.idle = nil
		return Sample{}, false
	}
	s := o.queue[0]
	o.queue = append(o.queue[:0], o.queue[1:]...)
	return s, true
}

// working returns a channel that is closed once everything queued was handed
// over, or nil when there is nothing to wait for.
func (o *outlet) working() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.idle
}

func (o *outlet) lost() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.dropped
}
