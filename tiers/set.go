package tiers

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/loopvitals/loopvitals/check"
)

// Set holds the checks of one process and asks them tier by tier. Its methods
// may be called by any goroutine at any time; probes take no lock of the Set.
// The zero Set is ready for use and must not be copied afterwards. A nil Set
// fails closed: it takes nothing and is Unhealthy on every tier but the live
// one.
type Set struct {
	clk     clock.Clock // nil is the real clock
	log     *slog.Logger
	refresh time.Duration // 0 is DefaultRefresh

	mu        sync.Mutex // serialises registrations and observers
	checks    atomic.Pointer[registry]
	observers atomic.Pointer[[]*observer]
	changed   chan struct{} // nil unless Run is in progress; guarded by mu

	last     [len(order)]atomic.Pointer[evaluated]
	started  atomic.Bool // the latch of the startup tier: was ready once
	draining atomic.Bool
	served   atomic.Uint32 // a tierMask of the tiers that have a handler
	mounted  atomic.Bool   // Mount or Endpoints was called
}

// New returns an empty Set.
func New(opts ...Option) *Set {
	s := new(Set)
	for _, opt := range opts {
		if opt != nil {
			opt.apply(s)
		}
	}
	return s
}

// Option gives a Set a collaborator. A nil collaborator is the default.
type Option interface{ apply(*Set) }

type optionFunc func(*Set)

func (f optionFunc) apply(s *Set) { f(s) }

// WithClock sets the clock of the Set and of its checks' limits, ages and
// schedules. The default is the real one.
func WithClock(c clock.Clock) Option {
	return optionFunc(func(s *Set) { s.clk = c })
}

// WithLogger sets where the causes of failures go: one line for each change of
// a check's state, with the Result.Err that no body ever shows (F51). The
// default is nowhere.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(s *Set) { s.log = l })
}

// WithObserver is Observe from the beginning, with the same warning: a function
// that has the Set take samples is called for those too.
func WithObserver(observe func(check.Sample)) Option {
	return optionFunc(func(s *Set) { s.Observe(observe) })
}

// WithRefresh sets how often Run evaluates the tiers. 0 is DefaultRefresh. A
// negative value is refused by all that returns an error: registrations, Mount,
// Endpoints and Run.
func WithRefresh(every time.Duration) Option {
	return optionFunc(func(s *Set) { s.refresh = every })
}

func (s *Set) clock() clock.Clock {
	if s == nil || s.clk == nil {
		return realClock
	}
	return s.clk
}

var realClock = clock.New()

func (s *Set) logger() *slog.Logger {
	if s == nil || s.log == nil {
		return discard
	}
	return s.log
}

var discard = slog.New(slog.DiscardHandler)
