package redundancy

import (
	"sync"
	"time"
)

// crew counts the goroutines of a run. Unlike a sync.WaitGroup it can be waited for
// with a limit, and without a goroutine.
type crew struct {
	mu    sync.Mutex
	size  int
	empty chan struct{} // closed when the last has ended; nil while nobody waits
}

// run starts f in a goroutine of the crew.
func (c *crew) run(f func()) {
	c.mu.Lock()
	c.size++
	c.mu.Unlock()
	go func() {
		defer c.leave()
		f()
	}()
}

func (c *crew) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size--
	if c.size == 0 && c.empty != nil {
		close(c.empty)
		c.empty = nil
	}
}

// wait waits until all have ended, but not longer than the limit.
func (c *crew) wait(limit time.Duration) {
	c.mu.Lock()
	if c.size == 0 {
		c.mu.Unlock()
		return
	}
	empty := make(chan struct{})
	c.empty = empty
	c.mu.Unlock()
	//nolint:forbidigo // it bounds code of others, which no clock of tests drives
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-empty:
	case <-timer.C:
	}
}
