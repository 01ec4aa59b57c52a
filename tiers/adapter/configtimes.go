package adapter

import (
	"fmt"
	"time"
)

// The limits. A Config may be stricter, and never laxer.
const (
	maxTimeout = 1500 * time.Millisecond // of one run of the command (S2.14)
	minPause   = 100 * time.Millisecond
	maxPause   = time.Second     // from the end of a run to the start of the next (S2.14)
	maxAge     = 3 * time.Second // of an observation that is answered from (S2.11)
)

// setting is one duration of a Config.
type setting struct {
	key         string
	value       *time.Duration
	least, most time.Duration // the most is also the default
}

func (c *Config) settings() []setting {
	return []setting{
		{"timeout", &c.Timeout, 1, maxTimeout},
		{"pause", &c.Pause, minPause, maxPause},
		{"maximumAge", &c.MaximumAge, 1, maxAge},
	}
}

// fillTimes sets the durations that are zero, and wants the others in bounds.
func (c *Config) fillTimes() error {
	for _, s := range c.settings() {
		if *s.value == 0 {
			*s.value = s.most
		}
		if *s.value < s.least || *s.value > s.most {
			return invalid(s.key, s.value.String(), "%s", s.bound())
		}
	}
	if c.MaximumAge <= c.Pause { // each observation would be too old before the next
		return invalid("maximumAge", c.MaximumAge.String(), "must be more than the pause of %v", c.Pause)
	}
	return nil
}

// parse reads the duration from a configuration file, where a zero is a mistake:
// a key that is not to be set is left out.
func (s setting) parse(text string) (err error) {
	*s.value, err = time.ParseDuration(text)
	if err != nil || *s.value == 0 {
		return invalid(s.key, text, "%s", s.bound())
	}
	return nil
}

func (s setting) bound() string {
	if s.least == 1 {
		return fmt.Sprintf("must be above 0 and at most %v", s.most)
	}
	return fmt.Sprintf("must be %v to %v", s.least, s.most)
}
