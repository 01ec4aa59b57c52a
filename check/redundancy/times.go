package redundancy

import (
	"fmt"
	"time"
)

// shortestTime keeps a node from spinning.
const shortestTime = time.Millisecond

// settleTimes fills in the times that are not set, and tests what results. The
// levels are settled already.
func (c *Config) settleTimes() error {
	c.DatabaseInterval = orDefault(c.DatabaseInterval, 5*time.Second)
	c.DatabaseTimeout = orDefault(c.DatabaseTimeout, min(2*time.Second, c.DatabaseInterval))
	c.ProbeInterval = orDefault(c.ProbeInterval, 5*time.Second)
	c.ProbeTimeout = orDefault(c.ProbeTimeout, min(2*time.Second, c.ProbeInterval))
	c.HealthInterval = orDefault(c.HealthInterval, 5*time.Second)
	c.RepublishInterval = orDefault(c.RepublishInterval, 10*time.Second)
	c.Debounce = orDefault(c.Debounce, min(250*time.Millisecond, c.RepublishInterval))
	// What is taken in anew must not be too old by then, so once may fail.
	for _, t := range []struct {
		field       string
		value, most time.Duration
		because     string
	}{
		{"database interval", c.DatabaseInterval, c.Levels.DatabaseStaleAfter / 2, "half the age at which its answer is stale"},
		{"database timeout", c.DatabaseTimeout, c.DatabaseInterval, "the database interval"},
		{"probe interval", c.ProbeInterval, witnessLasts / 2, "half the age at which a result is forgotten"},
		{"probe timeout", c.ProbeTimeout, c.ProbeInterval, "the probe interval"},
		{"health interval", c.HealthInterval, c.Levels.SnapshotStaleAfter, "the age at which a snapshot is stale"},
		{"republish interval", c.RepublishInterval, c.Levels.SnapshotStaleAfter / 2, "half the age at which a snapshot is stale"},
		{"debounce", c.Debounce, c.RepublishInterval, "the republish interval"},
	} {
		if t.value < shortestTime || t.value > t.most {
			return fmt.Errorf("redundancy: %s %v: must be %v to %v, %s, or 0 for the default", t.field, t.value, shortestTime, t.most, t.because)
		}
	}
	return nil
}

// orDefault returns the time, or what it is when it is not set.
func orDefault(set, otherwise time.Duration) time.Duration {
	if set == 0 {
		return otherwise
	}
	return set
}
