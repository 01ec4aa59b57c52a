package tiers

import (
	"slices"

	"github.com/loopvitals/loopvitals/check"
)

// observer is a registered function; its address is its identity.
type observer struct{ see func(check.Sample) }

// Observe has observe called with every sample that a check of this Set takes
// from now on, those of checks registered later included, until stop is
// called: what a duration histogram is fed from. A result that is reused is no
// new sample.
//
// The function is called outside every lock, for one check by one goroutine at
// a time, and may call any method of the Set. Probes never wait for it. A
// panic is contained; one that blocks holds up the other observers of that
// check, which then miss samples (see check.WithObserver). A call in progress
// may end after stop has returned.
func (s *Set) Observe(observe func(check.Sample)) (stop func()) {
	if observe == nil {
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
		if cause := contained(func() { o.see(sample) }); cause != nil {
			s.logger().Error("tiers: observer failed", "check", sample.Name, "cause", cause.Error())
		}
	}
}
