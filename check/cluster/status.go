package cluster

import "fmt"

// Status is where a member is in its life. It only goes forward: a member that
// left Up never returns to it, and joins again as a new incarnation.
type Status uint8

// The statuses, in the order of a member's life. An engine need not have all
// of them.
const (
	// Unknown is the zero Status: nothing was said, or something that this
	// version does not know.
	Unknown Status = iota
	// Joining has asked to be a member and does no work yet.
	Joining
	// WeaklyUp was let in while another member could not be reached. It never
	// counts as Up.
	WeaklyUp
	// Up is a full member; only an Up member can be the active one.
	Up
	// Leaving has stopped its work and says goodbye.
	Leaving
	// Exiting has handed its work over.
	Exiting
	// Down was declared dead by the others.
	Down
	// Removed is no member any more.
	Removed

	statusCount = int(Removed) + 1
)

var statusNames = [statusCount]string{"Unknown", "Joining", "WeaklyUp", "Up", "Leaving", "Exiting", "Down", "Removed"}

// String returns the name as entries show it, such as "Up" (S1.21).
func (s Status) String() string {
	if int(s) < statusCount {
		return statusNames[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}
