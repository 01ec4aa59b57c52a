package redundancy

import (
	"context"
	"slices"
	"sync"
	"time"
)

// busTimeout is what one call of Bus.Publish may take.
const busTimeout = 2 * time.Second

// parcel is a message on its way to the bus.
type parcel struct {
	// subject is what the message is about. Of two that wait with one subject the
	// newer goes.
	subject string
	message []byte
	// admit lets the sending in, when its turn has come, and bounds it.
	admit func(context.Context) (work context.Context, release func(), err error)
}

// courier sends the messages of one topic, one call at a time and in a goroutine
// that is there while there is something to send. A call that blocks past its
// timeout has failed, and costs that goroutine: what comes next waits behind it,
// the newest of each subject.
type courier struct {
	bus     Bus
	topic   string
	crew    *crew
	outcome func(error) // is told of each call how it ended

	mu      sync.Mutex
	waiting []parcel // the oldest subject first
	sending bool
}

// send has the parcel sent until ctx ends. It never blocks.
func (c *courier) send(ctx context.Context, p parcel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.waiting, func(w parcel) bool { return w.subject == p.subject }); i >= 0 {
		c.waiting[i] = p
	} else {
		c.waiting = append(c.waiting, p)
	}
	if !c.sending {
		c.sending = true
		c.crew.run(func() { c.drain(ctx) })
	}
}

// drain sends until nothing waits. A call that ends its goroutine leaves the rest
// to another.
func (c *courier) drain(ctx context.Context) {
	finished := false
	defer func() {
		if !finished {
			c.crew.run(func() { c.drain(ctx) })
		}
	}()
	for {
		p, some := c.next(ctx)
		if !some {
			finished = true
			return
		}
		c.deliver(ctx, p)
	}
}

// next returns the parcel whose turn it is.
func (c *courier) next(ctx context.Context) (p parcel, some bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 || ctx.Err() != nil {
		c.waiting, c.sending = nil, false
		return parcel{}, false
	}
	p = c.waiting[0]
	c.waiting = slices.Delete(c.waiting, 0, 1)
	return p, true
}

// deliver makes one call. What was admitted is released at the timeout at the
// latest, and its outcome is told once.
func (c *courier) deliver(ctx context.Context, p parcel) {
	work, release := ctx, func() {}
	if p.admit != nil {
		var err error
		if work, release, err = p.admit(ctx); err != nil {
			release()
			return // it has nothing to say any more
		}
	}
	work, cancel := context.WithTimeout(work, busTimeout)
	defer cancel()
	var once sync.Once
	over := func(err error) {
		once.Do(func() {
			release()
			if ctx.Err() == nil {
				c.outcome(err)
			}
		})
	}
	defer context.AfterFunc(work, func() { over(errTimeout) })()
	contain(func() error { return c.bus.Publish(work, c.topic, p.message) }, over)
}
