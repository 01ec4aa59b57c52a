package gateway

import (
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/examples/gateway/gatewaypb"
)

// Kind is how a session has subscribed to an item.
type Kind string

// The kinds.
const (
	// NotAdvised items were added, and have no changes.
	NotAdvised Kind = "not advised"
	// Plain items have changes, and cannot be written without a user.
	Plain Kind = "plain"
	// Supervisory items have changes and can be written.
	Supervisory Kind = "supervisory"
)

// session is what the server knows of one.
type session struct {
	id    string
	limit time.Duration // of each command

	mu      sync.Mutex
	names   map[int64]string // by handle
	handles map[string]int64
	kinds   map[string]Kind
	last    int64 // handle
	changes []*gatewaypb.Change
	changed chan struct{} // has an element when there may be changes
}

func newSession(id string, limit time.Duration) *session {
	return &session{
		id: id, limit: limit, changed: make(chan struct{}, 1),
		names: map[int64]string{}, handles: map[string]int64{}, kinds: map[string]Kind{},
	}
}

// add gives the item a handle. One that is there keeps its handle.
func (s *session) add(item string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	handle, found := s.handles[item]
	if !found {
		s.last++
		handle = s.last
		s.handles[item], s.names[handle], s.kinds[item] = handle, item, NotAdvised
	}
	return handle
}

// remove takes an item back that could not be advised.
func (s *session) remove(item string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.names, s.handles[item])
	delete(s.handles, item)
	delete(s.kinds, item)
}

// name returns the item of a handle.
func (s *session) name(handle int64) (item string, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	item, found = s.names[handle]
	return item, found
}

// advise makes an item one that has changes.
func (s *session) advise(item string, kind Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kinds[item] = kind
}

// tell leaves a change for whoever streams them.
func (s *session) tell(c *gatewaypb.Change) {
	s.mu.Lock()
	s.changes = append(s.changes, c)
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default: // it knows already
	}
}

// take returns the changes that nobody has got yet.
func (s *session) take() []*gatewaypb.Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	changes := s.changes
	s.changes = nil
	return changes
}

// snapshot returns the kinds of all items.
func (s *session) snapshot() map[string]Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	kinds := make(map[string]Kind, len(s.kinds))
	for item, kind := range s.kinds {
		kinds[item] = kind
	}
	return kinds
}
