package check

import "time"

// The defaults that a zero Sampling stands for.
const (
	// DefaultLimit is below the second that a kubelet waits by default.
	DefaultLimit = 800 * time.Millisecond
	// DefaultReuse bounds both the load on a dependency and the delay of news.
	DefaultReuse = 500 * time.Millisecond
	// DefaultMaxAge is the maximum age without a schedule; with one it is
	// three times Every.
	DefaultMaxAge = 30 * time.Second
)

// Sampling is how often and for how long a check may run. A zero field is
// "not set" and takes the documented default, so the zero Sampling is the
// default one.
type Sampling struct {
	// Limit is how long one run may take. 0 = DefaultLimit.
	Limit time.Duration
	// Reuse is the age up to which a result answers later callers too.
	// 0 = DefaultReuse; for none set NoReuse.
	Reuse time.Duration
	// NoReuse gives every caller that finds no run in flight a run of its own.
	NoReuse bool
	// MaxAge is the age past which a result is Unhealthy, whatever it said.
	// 0 = 3 x Every, or DefaultMaxAge without a schedule.
	MaxAge time.Duration
	// Every is the interval of Runner.Run. 0 = on demand only.
	Every time.Duration
	// AbandonAfter is the age at which a hung run may be given up for one
	// more run beside it. 0 = never; at least 10 x Limit.
	AbandonAfter time.Duration
}
