package liveness

import (
	"fmt"
	"log/slog"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/loopvitals/loopvitals/board"
)

// A Monitor judges all processors of one board. It is a check.Checker with one
// entry for the board (X25), and the one source of verdicts for every output.
//
// A verdict is computed when asked for: the frequency of asking changes nothing.
// Any goroutine may use a Monitor. The methods of a nil Monitor are legal, and
// fail closed.
type Monitor struct {
	board    *board.Board
	policy   Policy
	perKey   []keyedPolicy // by key
	clock    clock.Clock
	log      *slog.Logger
	onChange func(Transition)
	listed   int

	observer observer
	dropped  atomic.Uint64
	passes   sync.Pool // of *pass
}

// NewMonitor returns a Monitor of b with the given options. It starts nothing:
// the caller starts Run, without which the observer never doubts itself.
//
// It refuses a negative field of a policy, and a bound on the turns of a loop
// that is shorter than the interval of a processor on the board; the error
// names field, value and bound. A nil board is legal and has no processors.
func NewMonitor(b *board.Board, opts ...Option) (*Monitor, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	m := &Monitor{
		board:    b,
		policy:   c.policy,
		perKey:   c.perKey,
		clock:    c.clock,
		log:      c.log,
		onChange: c.onChange,
		listed:   c.listed,
	}
	m.observer.board, m.observer.coarseResumed = b, b.ClockResumed
	for o := range b.All() {
		if err := m.policyOf(o.Key).fits(o.Interval); err != nil {
			return nil, fmt.Errorf("liveness: policy for %q: %w", o.Key, err)
		}
	}
	return m, nil
}

// Board returns the board; nil when there is none.
func (m *Monitor) Board() *board.Board {
	if m == nil {
		return nil
	}
	return m.board
}

// PolicyFor returns the policy of a processor as it was configured. Its Resolve
// gives the bounds that hold.
func (m *Monitor) PolicyFor(key string) Policy {
	if m == nil {
		return Policy{}
	}
	return *m.policyOf(key)
}

// policyOf is PolicyFor without the copy.
func (m *Monitor) policyOf(key string) *Policy {
	i := sort.Search(len(m.perKey), func(i int) bool { return m.perKey[i].key >= key })
	if i < len(m.perKey) && m.perKey[i].key == key {
		return &m.perKey[i].policy
	}
	return &m.policy
}

// Processor returns one processor with the verdict on it, and false when the key
// is not on the board. The verdict is then the one on a processor that has
// reported nothing.
func (m *Monitor) Processor(key string) (Processor, bool) {
	if m == nil {
		return Processor{Verdict: Verdict{Key: key}}, false
	}
	p := m.begin()
	defer m.end(p)
	o, ok := m.board.Get(key)
	for p.disturbed() {
		o, ok = m.board.Get(key)
	}
	o.Key = key
	m.policyOf(key).judge(&o, &p.watch, &p.verdict)
	return processorOf(&o, &p.verdict), ok
}

// Lateness is how late the observing side is, or was at its last tick: zero while
// all is well. It is not known, and false, while Run does not run.
func (m *Monitor) Lateness() (time.Duration, bool) {
	if m == nil {
		return 0, false
	}
	return m.observer.lateness()
}

// DroppedTransitions counts the transitions that WithTransitions' hook, or the
// logger, was too slow to take. It only grows.
func (m *Monitor) DroppedTransitions() uint64 {
	if m == nil {
		return 0
	}
	return m.dropped.Load()
}
