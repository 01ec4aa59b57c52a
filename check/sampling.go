package check

import (
	"fmt"
	"math"
	"time"
)

// The defaults that a zero Sampling stands for.
const (
	// DefaultLimit leaves a fifth of the second that a kubelet waits by
	// default for everything else.
	DefaultLimit = 800 * time.Millisecond
	// DefaultReuse bounds the load on a dependency, and is the most by which
	// reuse can delay a change.
	DefaultReuse = 500 * time.Millisecond
	// DefaultMaxAge is the maximum age of a check without a schedule.
	DefaultMaxAge = 30 * time.Second
)

const (
	// maxAgeIntervals is how many intervals of a schedule may pass without a
	// result: one may fail to start and one may be slow.
	maxAgeIntervals = 3
	// abandonLimits is the least number of limits after which a hung run may
	// be given up: before that it is far more likely to be slow than lost.
	abandonLimits = 10
)

// Sampling says how often and for how long a check may run. A zero field is
// "not set" and takes the documented default, so the zero Sampling is the
// default one. NewRunner tests what results and refuses negative and
// contradictory values.
//
// An Instant check has no use for Reuse, NoReuse and AbandonAfter.
type Sampling struct {
	// Limit is how long one run may take. 0 is DefaultLimit. A run that
	// returns at its limit or later has timed out.
	Limit time.Duration
	// Reuse is the age up to which a result also answers later callers; at
	// most MaxAge. 0 is DefaultReuse, or MaxAge where that is less; for no
	// reuse set NoReuse. To serve probes from the schedule alone, set it to
	// Every + Limit or more.
	Reuse time.Duration
	// NoReuse gives every caller that finds no run in flight a run of its
	// own. Together with a Reuse it is refused.
	NoReuse bool
	// MaxAge is the age past which a result is Unhealthy, whatever it said;
	// at least Limit and Every. 0 is 3 x Every, or DefaultMaxAge without a
	// schedule; for a runner of a Runner at least that one's.
	MaxAge time.Duration
	// Every is the interval at which Runner.Run takes samples. 0 is no
	// schedule.
	Every time.Duration
	// AbandonAfter is the age at which a hung run is given up, so that one
	// more may start beside it; at least 10 x Limit. 0 is never.
	AbandonAfter time.Duration
}

// resolved returns s with its defaults filled in, or an error that names the
// field, its value and the bound.
func (s Sampling) resolved() (Sampling, error) {
	for _, field := range []struct {
		name  string
		value time.Duration
	}{
		{"limit", s.Limit},
		{"reuse", s.Reuse},
		{"max age", s.MaxAge},
		{"every", s.Every},
		{"abandon after", s.AbandonAfter},
	} {
		if field.value < 0 {
			return s, invalidField(field.name, field.value, "must not be negative")
		}
	}
	if s.NoReuse && s.Reuse > 0 {
		return s, invalidField("reuse", s.Reuse, "must be 0 with no reuse")
	}
	if s.Limit == 0 {
		s.Limit = DefaultLimit
	}
	if s.MaxAge == 0 {
		if s.Every > math.MaxInt64/maxAgeIntervals {
			return s, invalidField("every", s.Every, "three times it overflows: set max age")
		}
		s.MaxAge = maxAgeIntervals * s.Every
		if s.Every == 0 {
			s.MaxAge = max(DefaultMaxAge, s.Limit)
		}
	}
	if s.Reuse == 0 && !s.NoReuse {
		s.Reuse = min(DefaultReuse, s.MaxAge)
	}
	return s, s.consistent()
}

// consistent tests the bounds between fields on what resulted.
func (s Sampling) consistent() error {
	if s.Limit > s.MaxAge {
		return invalidField("limit", s.Limit, "must be at most the maximum age of %v", s.MaxAge)
	}
	if s.Reuse > s.MaxAge {
		return invalidField("reuse", s.Reuse, "must be at most the maximum age of %v", s.MaxAge)
	}
	if s.Every > s.MaxAge {
		return invalidField("every", s.Every, "must be at most the maximum age of %v", s.MaxAge)
	}
	// The division keeps the bound from overflowing.
	if s.AbandonAfter > 0 && s.AbandonAfter/abandonLimits < s.Limit {
		return invalidField("abandon after", s.AbandonAfter, "must be at least 10 x the limit of %v", s.Limit)
	}
	return nil
}

func invalidField(name string, value time.Duration, bound string, args ...any) error {
	return fmt.Errorf("check: %s %v: %s", name, value, fmt.Sprintf(bound, args...))
}
