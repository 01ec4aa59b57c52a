package clustertest

import (
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// Clock is a cluster.Clock that follows time.Now, and so the virtual time of a
// testing/synctest bubble, which the clock of production does not. It follows
// the calendar, which is why it is for tests only.
type Clock struct{}

// Now reads the clock.
func (Clock) Now() cluster.Instant { return cluster.Instant(time.Now().UnixNano()) }
