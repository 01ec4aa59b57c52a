package tiers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopvitals/loopvitals/check"
)

// member is one registered check.
type member struct {
	runner    *check.Runner
	tiers     tierMask
	scheduled bool // Run keeps its schedule
}

// registry is what is registered at one time. It is never changed, so that a
// probe reads it without a lock; a registration publishes a new one.
type registry struct {
	members []*member // in the order of their names
	runners [len(order)][]*check.Runner
}

var emptyRegistry = newRegistry(nil)

func newRegistry(members []*member) *registry {
	r := &registry{members: members}
	for i, t := range order {
		r.runners[i] = r.tagged(t.mask())
	}
	return r
}

// tagged returns the runners of the members on any tier of mask, by name.
func (r *registry) tagged(mask tierMask) []*check.Runner {
	var runners []*check.Runner
	for _, m := range r.members {
		if m.tiers&mask != 0 {
			runners = append(runners, m.runner)
		}
	}
	return runners
}

func (r *registry) search(name string) (at int, found bool) {
	return slices.BinarySearchFunc(r.members, name, func(m *member, name string) int {
		return strings.Compare(m.runner.Name(), name)
	})
}

func (s *Set) registry() *registry {
	if s != nil {
		if r := s.checks.Load(); r != nil {
			return r
		}
	}
	return emptyRegistry
}

// enter publishes the registry with m in it.
func (s *Set) enter(m *member) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.registry()
	at, found := old.search(m.runner.Name())
	if found {
		return fmt.Errorf("%w %q", ErrDuplicate, m.runner.Name())
	}
	s.checks.Store(newRegistry(slices.Insert(slices.Clone(old.members), at, m)))
	if s.changed != nil {
		select {
		case s.changed <- struct{}{}:
		default: // Run is told already
		}
	}
	return nil
}
