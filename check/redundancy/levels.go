package redundancy

import "sync"

// levels keeps the service level that was shown last, and counts its changes.
type levels struct {
	policy LevelPolicy // settled
	show   func(level uint8)

	mu    sync.Mutex
	stage stage
	shown uint8
	known bool
	count [tierCount]uint64
}

// stage is how far Run is.
type stage uint8

const (
	idle stage = iota
	running
	over
)

// begin takes the one run that a Node has, and tells whether it was there to take.
func (l *levels) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stage != idle {
		return false
	}
	l.stage = running
	return true
}

// running tells whether levels are computed: Run has begun and not ended.
func (l *levels) running() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stage == running
}

// reach makes the tier the present one. The first is a change, whichever it is
// (S4.20), and one that repeats the last is none (S4.21).
func (l *levels) reach(t tier) (level uint8, changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stage == over {
		return l.shown, false
	}
	return l.set(t)
}

// end makes the node down for good.
func (l *levels) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stage = over
	l.set(tierDown)
}

// set is reach for those who hold the lock. What is shown again is not told again,
// but told to who has not taken it.
func (l *levels) set(t tier) (level uint8, changed bool) {
	level = uint8(l.policy.value(t))
	if changed = !l.known || level != l.shown; changed {
		l.shown, l.known = level, true
		l.count[t]++
	}
	l.show(level)
	return level, changed
}

// list returns the counts as State shows them.
func (l *levels) list() (changes []LevelCount, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t, n := range l.count {
		changes = append(changes, LevelCount{Level: uint8(l.policy.value(tier(t))), Count: n})
	}
	return changes, l.known
}
