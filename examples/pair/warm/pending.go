package warm

import (
	"slices"
	"sync"

	"github.com/loopvitals/loopvitals/examples/pair/alarm"
)

// pending are the transitions that this node has evaluated, and that were not in
// the output when it last looked: on the primary what it has still to emit, on a
// standby what it would have to emit if it took over now. They are in the order of
// the input. All methods may be called by any goroutine; the zero pending is empty.
type pending struct {
	mu    sync.Mutex
	all   []alarm.Transition
	fresh int    // how many were added since news was last asked
	done  uint64 // the number of the last one that is known to be in the output
}

// add adds a transition, unless it is in the output already: a node that is behind
// may evaluate it after it has looked there, and would emit it a second time.
func (p *pending) add(t alarm.Transition) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fresh++
	if t.Seq > p.done {
		p.all = append(p.all, t)
	}
}

// news returns how many were added since it was last asked, and how many there
// are.
func (p *pending) news() (fresh, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fresh, p.fresh = p.fresh, 0
	return fresh, len(p.all)
}

func (p *pending) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.all)
}

// first returns the first one.
func (p *pending) first() (t alarm.Transition, some bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) == 0 {
		return alarm.Transition{}, false
	}
	return p.all[0], true
}

// emitted drops all up to the one that the output ends with. The order of the
// output is that of the input, so none of them is missing there.
func (p *pending) emitted(last uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = max(p.done, last)
	n := slices.IndexFunc(p.all, func(t alarm.Transition) bool { return t.Seq > p.done })
	if n < 0 {
		n = len(p.all)
	}
	p.all = slices.Delete(p.all, 0, n)
}
