package liveness

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/benbjohnson/clock"
)

// Option configures a Monitor.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// config is what the options say. NewMonitor validates it.
type config struct {
	policy   Policy
	perKey   []keyedPolicy
	clock    clock.Clock
	log      *slog.Logger
	onChange func(Transition)
	listed   int
}

// keyedPolicy is the policy of one processor.
type keyedPolicy struct {
	key    string
	policy Policy
}

// WithPolicy sets the policy of all processors that have none of their own. The
// default is the zero Policy.
func WithPolicy(p Policy) Option {
	return optionFunc(func(c *config) { c.policy = p })
}

// WithPolicyFor sets the policy of one processor, in the place of WithPolicy's
// and not in addition to it. The processor need not be registered yet. The key
// of a rebuild is "id::rebuild::version".
func WithPolicyFor(key string, p Policy) Option {
	return optionFunc(func(c *config) { c.perKey = append(c.perKey, keyedPolicy{key, p}) })
}

// WithClock sets the clock whose timer drives Run. It must go as fast as the
// board's: with a mock clock give both the same. Nil, and the default, is the
// real one.
func WithClock(timers clock.Clock) Option {
	return optionFunc(func(c *config) {
		if timers != nil {
			c.clock = timers
		}
	})
}

// WithLogger sets where Run logs the transitions, each with the cause of a
// fault, and policies that do not fit a later registration. The default is
// nowhere.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(c *config) { c.log = l })
}

// WithTransitions sets a function that is given every transition Run sees. It
// is called by one goroutine at a time, with no lock held, and may call any
// method of this module. It may block: transitions then wait in a bounded
// queue, where a newer one takes the place of an older one of the same
// processor, and what is lost is counted (Monitor.DroppedTransitions). A panic
// or runtime.Goexit in it is contained and logged.
func WithTransitions(hook func(Transition)) Option {
	return optionFunc(func(c *config) { c.onChange = hook })
}

// WithListed sets how many processors Check lists, the worst ones. The default
// is 32.
func WithListed(n int) Option {
	return optionFunc(func(c *config) { c.listed = n })
}

// newConfig applies the options to the defaults.
func newConfig(opts []Option) (config, error) {
	c := config{clock: clock.New(), listed: defaultListed}
	for _, o := range opts {
		if o != nil {
			o.apply(&c)
		}
	}
	if err := c.policy.validate(); err != nil {
		return c, fmt.Errorf("liveness: %w", err)
	}
	if c.listed < 0 {
		return c, fmt.Errorf("liveness: WithListed %d: must not be negative", c.listed)
	}
	slices.SortStableFunc(c.perKey, func(a, b keyedPolicy) int { return strings.Compare(a.key, b.key) })
	for i, p := range c.perKey {
		if p.key == "" {
			return c, fmt.Errorf("liveness: WithPolicyFor %q: key must not be empty", p.key)
		}
		if i > 0 && p.key == c.perKey[i-1].key {
			return c, fmt.Errorf("liveness: WithPolicyFor %q: key must not be given twice", p.key)
		}
		if err := p.policy.validate(); err != nil {
			return c, fmt.Errorf("liveness: policy for %q: %w", p.key, err)
		}
	}
	return c, nil
}
