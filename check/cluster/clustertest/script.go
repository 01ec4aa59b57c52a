package clustertest

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// Script is a cluster.Source, and a cluster.Tracker, that a test drives. It is the
// picture of one node; a test of two nodes has a Script for each and tells both the
// same. All methods may be called by any goroutine. Those that name a member panic
// when it is not there, since then the test is wrong.
type Script struct {
	clock cluster.Clock // nil: stands still

	mu      sync.Mutex
	base    cluster.Instant // what Advance has added up to
	view    *cluster.View
	changed chan struct{}
	age     uint64 // the last one given
	lives   int    // the last incarnation
	working int
}

var (
	_ cluster.Source  = (*Script)(nil)
	_ cluster.Tracker = (*Script)(nil)
)

// origin is far from 0, which means "unknown" in some fields.
const origin = cluster.Instant(time.Hour)

// NewScript returns a source that is Starting. Its clock stands still until
// Advance.
func NewScript(self string) *Script { return newScript(self, nil) }

// NewScriptFollowing is NewScript with a clock that goes on by itself, such as
// Clock inside of a testing/synctest bubble, and jumps by what Advance says.
func NewScriptFollowing(c cluster.Clock, self string) *Script { return newScript(self, c) }

func newScript(self string, c cluster.Clock) *Script {
	return &Script{
		clock:   c,
		base:    origin,
		view:    &cluster.View{Self: cluster.Key{Address: self}},
		changed: make(chan struct{}),
	}
}

// Now reads the clock.
func (s *Script) Now() cluster.Instant {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now()
}

func (s *Script) now() cluster.Instant {
	if s.clock == nil {
		return s.base
	}
	return s.clock.Now().Add(time.Duration(s.base))
}

// View returns the view as the script has it now.
func (s *Script) View() *cluster.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view
}

// Changed is closed at the next change of the view.
func (s *Script) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Track counts one piece of work.
func (s *Script) Track() (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.working++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.working--
	})
}

// Working tells how much work is counted and not done.
func (s *Script) Working() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.working
}

// Advance moves the clock on. The view stays.
func (s *Script) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base = s.base.Add(d)
}

// Set replaces the view, which may be nil. One with a smaller revision than the
// present one came late and is dropped, as every Source has to.
func (s *Script) Set(v *cluster.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v != nil && s.view != nil && v.Revision < s.view.Revision {
		return
	}
	s.publish(v)
}

// Confirm is a heartbeat: the engine confirms the node's place now, and for as
// long as d. The node is not active before the first.
func (s *Script) Confirm(d time.Duration) {
	s.edit(func(v *cluster.View) {
		v.ConfirmedAt = s.now()
		v.ValidUntil = v.ConfirmedAt.Add(d)
	})
}

// Expire moves the clock on to the fence, from which on the node may not act.
func (s *Script) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if left := s.fence().Sub(s.now()); left > 0 {
		s.base = s.base.Add(left)
	}
}

func (s *Script) fence() cluster.Instant {
	if s.view == nil {
		return 0
	}
	return s.view.ValidUntil
}

// edit publishes a copy of the view, Available and with the next revision, that f
// has changed.
func (s *Script) edit(f func(*cluster.View)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var next cluster.View
	if s.view != nil {
		next = *s.view
	}
	next.State = cluster.Available
	next.Revision++
	next.Members = slices.Clone(next.Members)
	f(&next)
	s.publish(&next)
}

func (s *Script) publish(v *cluster.View) {
	s.view = v
	close(s.changed)
	s.changed = make(chan struct{})
}

// nextIncarnation is the name of a new life.
func (s *Script) nextIncarnation() string {
	s.lives++
	return strconv.Itoa(s.lives)
}

// at returns the position of the newest life of the address.
func at(v *cluster.View, address string) int {
	i := slices.IndexFunc(v.Members, func(m cluster.Member) bool {
		return m.Address == address && m.Status != cluster.Removed
	})
	if i < 0 {
		panic(fmt.Sprintf("clustertest: member %q: must be in the view", address))
	}
	return i
}
