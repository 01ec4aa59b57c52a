package cluster

import "time"

// Instant is a reading of a Clock, in nanoseconds since an origin of its own.
// Instants of two processes cannot be compared. 0 is a legal reading.
type Instant int64

// Add returns the instant d later.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d) }

// Sub returns the time from earlier to i.
func (i Instant) Sub(earlier Instant) time.Duration { return time.Duration(i - earlier) }

// Clock tells the time for leases and fences. It must go on while the host
// sleeps and must not follow the calendar: a laptop that was closed for an hour
// has lost its role, and one whose date was corrected has not.
type Clock interface{ Now() Instant }
