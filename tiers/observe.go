package tiers

import (
	"slices"
	"sync/atomic"

	"github.com/loopvitals/loopvitals/check"
)

// observer is a registered function; its address is its identity.
type observer struct {
	see    func(check.Sample)
	broken atomic.Bool // it failed the last time
}

// Observe has observe called with every sample that a check of this Set takes
// from now on, those of checks registered later included, until stop is
// called: what a duration histogram is fed from. A result that is reused is no
// new sample.
//
// The function is called outside every lock, for one check by one goroutine at
// a time, and may call any method of the Set: none deadlocks. Yet one that has
// the Set take samples, by Evaluate or by a probe of its handlers, is called
// for those too. For a check that is Instant, and for any other once its reuse
// time is over, that never ends: it keeps a core busy. Last, TierStates and
// CheckStates tell an observer what it needs and take no samples.
//
// Probes never wait for an observer. A panic is contained, and logged once
// until a call succeeds again; one that blocks holds up the other observers of
// that check, which then miss samples (see check.WithObserver). A call in
// progress may end after stop has returned.
func (s *Set) Observe(observe func(check.Sample)) (stop func()) {
	if s == nil || observe == nil {
		return func() {}
	}
	o := &observer{see: observe}
	s.changeObservers(func(list []*observer) []*observer { return append(list, o) })
	return func() {
		s.changeObservers(func(list []*observer) []*observer {
			return slices.DeleteFunc(list, func(other *observer) bool { return other == o })
		})
	}
}

// changeObservers publishes a changed copy of the list.
func (s *Set) changeObservers(change func([]*observer) []*observer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*observer
	if old := s.observers.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = change(list)
	s.observers.Store(&list)
}

// observed hands a sample of any check to the observers.
func (s *Set) observed(sample check.Sample) {
	list := s.observers.Load()
	if list == nil {
		return
	}
	for _, o := range *list {
		cause := contained(func() { o.see(sample) })
		if broken := cause != nil; o.broken.Swap(broken) != broken && broken {
			s.logger().Error("tiers: observer failed", "check", sample.Name, "cause", cause.Error())
		}
	}
}
