package cluster

import (
	"context"
	"sync"
	"time"
)

const (
	// longestWatch bounds how late the end of a tenure can be noticed after the
	// host has slept, since timers stand still meanwhile.
	longestWatch = time.Second
	// shortestWatch keeps a timer from spinning in front of a clock that stands
	// still, as those of tests do; what is left is given up.
	shortestWatch = time.Millisecond
)

// tenure watches over lasting work: it follows the fence for as long as the node
// is active under the same token, and ends the work at the last fence that it
// saw. It has a timer and no goroutine.
type tenure struct {
	gate  *Gate
	token uint64
	end   context.CancelCauseFunc

	mu    sync.Mutex
	fence Instant
	timer *time.Timer // nil: the work was released
}

// watchTenure begins to watch over the work that was admitted.
func watchTenure(g *Gate, a admission, end context.CancelCauseFunc) *tenure {
	t := &tenure{gate: g, token: a.decision.Token, end: end, fence: a.decision.ValidUntil}
	t.mu.Lock()
	defer t.mu.Unlock()
	//nolint:forbidigo // contexts end on the runtime's timers, whatever clock the source has
	t.timer = time.AfterFunc(min(time.Until(a.deadline()), longestWatch), t.look)
	return t
}

// look asks again and sets the timer anew, or ends the work. It ends it as well
// when the source does not return, but panics or ends this goroutine.
func (t *tenure) look() {
	over := true
	defer func() {
		if over {
			t.end(errTenureEnded)
		}
	}()
	began := time.Now()
	now, v, err := read(t.gate.src)
	if err != nil {
		return
	}
	d := Decide(v, now, t.gate.rolePreference...)
	over = !t.prolong(admission{began: began, now: now, decision: d})
}

// prolong follows the fence, and tells whether the watch goes on or has been
// stopped.
func (t *tenure) prolong(a admission) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil {
		return true
	}
	// A node that is about to leave is not active any more and waits for this
	// work until the fence; so the fence stays, and only a new one replaces it.
	if a.decision.Token == t.token { // 0 when it is not active
		t.fence = a.decision.ValidUntil
	}
	left := t.fence.Sub(a.now) - time.Since(a.began)
	if left < shortestWatch {
		return false
	}
	t.timer.Reset(min(left, longestWatch))
	return true
}

// stop ends the watch.
func (t *tenure) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}
