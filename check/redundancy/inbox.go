package redundancy

import (
	"sync"
	"sync/atomic"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// outcome is what became of a snapshot that came in.
type outcome uint8

const (
	// accepted is the newest snapshot now.
	accepted outcome = iota
	// outdated is not newer than the one that is known (IgnoredOld).
	outdated
	// unplaced comes from nobody that the view has (IgnoredStranger).
	unplaced
)

// inbox keeps the newest snapshot. The zero inbox is empty. All methods may be called
// by any goroutine.
type inbox struct {
	accepted atomic.Pointer[received]

	mu       sync.Mutex
	stranger *received // the newest whose builder the view did not have
}

// received is a snapshot and when this node took it in, on its own clock.
type received struct {
	snapshot *snapshot
	at       cluster.Instant
}

// newest returns the newest accepted snapshot and when it came in, on the node's own
// clock. It never blocks.
func (b *inbox) newest() (s *snapshot, at cluster.Instant, known bool) {
	if r := b.accepted.Load(); r != nil {
		return r.snapshot, r.at, true
	}
	return nil, 0, false
}

// take takes a snapshot in that came at now, a time of the node's own clock; v is its
// view. The same snapshot again does not make it younger.
func (b *inbox) take(s *snapshot, v *cluster.View, now cluster.Instant) outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := &received{s, now}
	o := b.place(r, v)
	if o == unplaced && (b.stranger == nil || s.newer(b.stranger.snapshot)) {
		b.stranger = r
	}
	return o
}

// retry tries the stranger again, in another view. It tells whether that was accepted
// now; it then is as old as it is, and not new.
func (b *inbox) retry(v *cluster.View) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stranger == nil {
		return false
	}
	o := b.place(b.stranger, v)
	if o != unplaced {
		b.stranger = nil
	}
	return o == accepted
}

// place accepts a snapshot that is newer than the one that is known, and that was
// built by a member: under the age that the view has for the builder. A token that
// was made up, however large, is that of no member and bars nobody.
func (b *inbox) place(r *received, v *cluster.View) outcome {
	if known := b.accepted.Load(); known != nil && !r.snapshot.newer(known.snapshot) {
		return outdated
	}
	if !builtIn(v, r.snapshot) {
		return unplaced
	}
	b.accepted.Store(r)
	return accepted
}

// builtIn tells whether the builder of a snapshot is a member in the view.
func builtIn(v *cluster.View, s *snapshot) bool {
	if v == nil || v.State != cluster.Available {
		return false
	}
	for i := range v.Members {
		m := &v.Members[i]
		if m.Address == s.Builder && m.Age == s.Token && m.Age != 0 && m.Status < cluster.Down {
			return true
		}
	}
	return false
}
