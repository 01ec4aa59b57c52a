package cluster

import "fmt"

// State tells how far a Source is (X2).
type State uint8

const (
	// Starting is the zero State: a cluster is configured, and the engine has
	// not told its members yet. A Source that was Available once is never
	// Starting again.
	Starting State = iota
	// NotClustered means that this node works alone, on purpose.
	NotClustered
	// Available means that the engine has told who is there. It stays so when
	// the engine is lost afterwards; View.ValidUntil then passes.
	Available

	stateCount = int(Available) + 1
)

var stateNames = [stateCount]string{"starting", "not_clustered", "available"}

// String returns "starting", "not_clustered" or "available".
func (s State) String() string {
	if int(s) < stateCount {
		return stateNames[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// View is what one node knows of the cluster at one moment. It is immutable:
// nobody changes a View that a Source has returned, nor the slices and maps in
// it. A nil View is Starting.
type View struct {
	State State
	// Self is this node. It is among the members when the engine has said so.
	Self Key
	// Members are in no order that means anything.
	Members []Member
	// Revision is the engine's number of the newest change in the view. It is
	// for people; decisions do not use it.
	Revision uint64
	// ConfirmedAt is when the engine last confirmed this node's place, counted
	// from the sending of what it confirmed (R2).
	ConfirmedAt Instant
	// ValidUntil is the fence: from then on this node may not act on the view.
	// Every view needs it, 0 is one that was never valid. A Source without
	// leases sets ConfirmedAt plus the age it puts up with (R28).
	ValidUntil Instant
}

// Member returns the member with the key.
func (v *View) Member(k Key) (Member, bool) {
	if v != nil {
		for _, m := range v.Members {
			if m.Key == k {
				return m, true
			}
		}
	}
	return Member{}, false
}
