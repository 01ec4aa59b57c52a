package board

import "strconv"

// State is what a processor says of itself. Only its loop, or the supervisor of
// that loop, changes it (S5.4).
type State uint8

// The eight states. The zero value is Unreported: registered or restarted, and
// silent so far.
const (
	// Unreported: nothing was reported since registration or Restart.
	Unreported State = iota
	// Running: the loop goes round; it must beat again within its bound.
	Running
	// Idle: the loop waits for input, for as long as it takes.
	Idle
	// Busy: the loop works on one unit, within a limit.
	Busy
	// Standby: another replica holds the lease; this one need not beat.
	Standby
	// Paused: an operator or the program holds the loop; it need not beat.
	Paused
	// Stopped: the loop ended on purpose. Only Restart, or a fault, leaves it.
	Stopped
	// Faulted: the loop stopped for good. Only Restart leaves it.
	Faulted
)

var stateNames = [...]string{"unreported", "running", "idle", "busy", "standby", "paused", "stopped", "faulted"}

// String returns the state's lower-case name, or "state_N" for a value that is
// none of the eight.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "state_" + strconv.Itoa(int(s))
}
