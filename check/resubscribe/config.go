package resubscribe

import (
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"
)

// defaultCeiling is the time limit of a gateway's command and a margin (S3.7).
const defaultCeiling = 45 * time.Second

// maxKeyBytes bounds a key: it becomes a metric label.
const maxKeyBytes = 64

// Config is what a Guard needs. A zero field is not set and takes its default, but for
// Key, which is required.
type Config struct {
	// Key names the connection in logs, in the check's data and as a metric label,
	// so it must hold nothing secret: 1 to 64 bytes of text without control
	// characters. Guards of one process should have different keys.
	Key string
	// Floor, Max, Jitter and NoJitter are those of Backoff. Floor is also the least
	// time between any two attempts.
	Floor, Max time.Duration
	Jitter     float64
	NoJitter   bool
	// Ceiling is how old an attempt may become without an answer until it is
	// presumed lost, at least 1 ms; 0 is 45 s (S3.7). It should be longer than the
	// other side works on a request: what is sent after it is work on top. It is
	// also the pace of requests that nothing answers, where it is longer than the
	// floor.
	Ceiling time.Duration
	// DegradedAfter is after how many presumed losses in a row the check is
	// Degraded, until there is an answer. 0 is never.
	DegradedAfter int
}

// settle returns the configuration that is used, or what is wrong with this one.
func (c Config) settle() (Config, error) {
	if err := validateKey(c.Key); err != nil {
		return Config{}, err
	}
	b, err := c.backoff().settle()
	if err != nil {
		return Config{}, err
	}
	c.Floor, c.Max, c.Jitter = b.Floor, b.Max, b.Jitter
	c.Ceiling = orDefault(c.Ceiling, defaultCeiling)
	if c.Ceiling < shortestTime {
		return Config{}, fmt.Errorf("resubscribe: ceiling %v: must be at least %v, or 0 for %v", c.Ceiling, shortestTime, defaultCeiling)
	}
	if c.DegradedAfter < 0 {
		return Config{}, fmt.Errorf("resubscribe: degraded after %d: must be at least 1 presumed loss, or 0 for never", c.DegradedAfter)
	}
	return c, nil
}

// backoff is the part of c that the delays are computed from.
func (c Config) backoff() Backoff {
	return Backoff{Floor: c.Floor, Max: c.Max, Jitter: c.Jitter, NoJitter: c.NoJitter}
}

// validateKey tells whether key can be a label in every output.
func validateKey(key string) error {
	switch {
	case key == "":
		return fmt.Errorf("resubscribe: key %q: must not be empty", key)
	case len(key) > maxKeyBytes:
		return fmt.Errorf("resubscribe: key of %d bytes: must be at most %d", len(key), maxKeyBytes)
	case !utf8.ValidString(key):
		return fmt.Errorf("resubscribe: key %q: must be valid UTF-8", key)
	}
	for _, r := range key {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return fmt.Errorf("resubscribe: key %q: must not contain %U, a control, format or separator character", key, r)
		}
	}
	return nil
}
