package liveness

import (
	"sync"
	"time"
)

const (
	// maxWaiting bounds the transitions that wait for a slow hook.
	maxWaiting = 1024
	// partingTime is how long Run waits at its end for a hook that does not
	// return.
	partingTime = time.Second
)

// publisher hands transitions to the user's code, in a goroutine of its own: a
// hook or a logger that blocks must not make the observer late. Waiting
// transitions are one for each processor at most, and bounded; the newest win.
type publisher struct {
	monitor *Monitor
	wake    chan struct{} // of capacity 1
	done    chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	waiting []*news          // in order
	byKey   map[string]*news // the ones in waiting
	closed  bool
}

// news is one thing to tell: a transition, or a misfit. It is void when the
// processor went back to where it came from before anybody was told.
type news struct {
	transition Transition
	misfit     *misfit
	void       bool
}

func newPublisher(m *Monitor) *publisher {
	p := &publisher{
		monitor: m,
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
		byKey:   make(map[string]*news),
	}
	go p.run("")
	return p
}

// offer queues what the journal found. It never blocks.
func (p *publisher) offer(j *journal) {
	if len(j.changes) == 0 && len(j.misfits) == 0 {
		return
	}
	p.mu.Lock()
	for _, t := range j.changes {
		p.queue(t)
	}
	for _, f := range j.misfits {
		p.push(&news{misfit: &f})
	}
	p.mu.Unlock()
	p.signal()
}

// queue adds a transition; p.mu is held. One of the same processor that still
// waits gives way, and the new one then tells the whole way from the old one's
// beginning.
func (p *publisher) queue(t Transition) {
	if n := p.byKey[t.To.Key]; n != nil {
		t.FromStatus, t.From = n.transition.FromStatus, n.transition.From
		n.transition = t
		n.void = t.FromStatus == t.To.Status && t.From == turn(t.To.Reason) && !t.Gone
		p.monitor.dropped.Add(1)
		return
	}
	n := &news{transition: t}
	p.byKey[t.To.Key] = n
	p.push(n)
}

// push adds to the queue, and drops the oldest when it is full; p.mu is held.
func (p *publisher) push(n *news) {
	if len(p.waiting) == maxWaiting {
		p.take()
		p.monitor.dropped.Add(1)
	}
	p.waiting = append(p.waiting, n)
}

// take removes the oldest; p.mu is held.
func (p *publisher) take() *news {
	if len(p.waiting) == 0 {
		return nil
	}
	n := p.waiting[0]
	p.waiting[0] = nil
	p.waiting = p.waiting[1:]
	if n.misfit == nil {
		delete(p.byKey, n.transition.To.Key)
	}
	return n
}

func (p *publisher) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// close tells what still waits, and joins the goroutine, unless the user's code
// does not return. Then it gives up after a while and the goroutine ends when
// that code does.
func (p *publisher) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.signal()
	select {
	case <-p.done:
		return nil
	default:
	}
	parting := p.monitor.clock.Timer(partingTime)
	defer parting.Stop()
	select {
	case <-p.done:
		return nil
	case <-parting.C:
		p.mu.Lock()
		lost := len(p.waiting)
		p.waiting, p.byKey = nil, nil
		p.mu.Unlock()
		p.monitor.dropped.Add(uint64(lost))
		return ErrHookHangs
	}
}

// run tells one piece of news after the other. User code that ends its goroutine
// with runtime.Goexit gets another one, which has something to complain of; if
// the complaint ends the same way, nobody hears it.
func (p *publisher) run(complaint string) {
	finished := false
	defer func() {
		switch {
		case finished:
			close(p.done)
		case complaint != "":
			go p.run("")
		default:
			go p.run("a transition hook called runtime.Goexit")
		}
	}()
	if complaint != "" {
		p.complain(complaint, nil)
		complaint = ""
	}
	for {
		p.mu.Lock()
		n, closed := p.take(), p.closed
		p.mu.Unlock()
		switch {
		case n != nil && !n.void:
			p.tell(n)
		case n != nil:
		case closed:
			finished = true
			return
		default:
			<-p.wake
		}
	}
}

// tell calls the user's code: the hook, and the logger's handler.
func (p *publisher) tell(n *news) {
	defer func() {
		if r := recover(); r != nil {
			p.complain("a transition hook panicked", r)
		}
	}()
	if n.misfit != nil {
		p.logMisfit(n.misfit)
		return
	}
	p.logTransition(&n.transition)
	if hook := p.monitor.onChange; hook != nil {
		hook(n.transition)
	}
}
