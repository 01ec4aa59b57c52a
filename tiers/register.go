package tiers

import (
	"errors"
	"fmt"
	"slices"

	"github.com/loopvitals/loopvitals/check"
)

var (
	// ErrDuplicate is returned for a name that the Set already has. The check
	// that has it goes on unharmed (CASE-113).
	ErrDuplicate = errors.New("tiers: duplicate check name")
	// ErrInvalidTag is returned for no tag, an unknown one, and the live one.
	ErrInvalidTag = errors.New("tiers: tag")
)

// CheckOption says how one check is run.
type CheckOption interface{ applyCheck(*checkConfig) }

type checkConfig struct {
	sampling check.Sampling
	tags     []string
}

type checkOptionFunc func(*checkConfig)

func (f checkOptionFunc) applyCheck(c *checkConfig) { f(c) }

// WithSampling sets the check's limits, reuse and schedule. A schedule (Every)
// is kept by Set.Run. The default is the zero Sampling.
func WithSampling(s check.Sampling) CheckOption {
	return checkOptionFunc(func(c *checkConfig) { c.sampling = s })
}

// WithTags puts the check on further tiers: one run answers for all of them.
func WithTags(tags ...string) CheckOption {
	return checkOptionFunc(func(c *checkConfig) { c.tags = append(c.tags, tags...) })
}

// AddReady registers a check on the ready tier (S1.3).
//
// The name is the check's key in every output: unique in the Set, valid UTF-8
// of 1 to 200 bytes, with no control or format characters (F48). A name, a nil
// checker or a sampling that cannot be used is an error that names it, and
// leaves the Set as it was. There is no AddLive: the live tier takes no checks
// (S1.6).
func (s *Set) AddReady(name string, c check.Checker, opts ...CheckOption) error {
	return s.add(name, c, opts, TagReady)
}

// AddActive registers a check on the active tier (S1.4), as AddReady does.
func (s *Set) AddActive(name string, c check.Checker, opts ...CheckOption) error {
	return s.add(name, c, opts, TagActive)
}

// AddStartup registers a check on the opt-in startup tier, as AddReady does.
//
// The startup tier asks two things (X3, S2.6). Has this process been ready?
// That latches: the first time that the ready tier is not Unhealthy, whoever
// asked, it is answered for the life of the Set, so a dependency that fails
// later does not undo a start. Until then the ready tier's checks are asked and
// shown along. And is it in health now? That never latches: the startup tier's
// own checks must pass at every probe, also after the latch. A Set with no
// ready checks is ready from the first moment, so register before you serve: a
// first startup check after Mount is refused, see there.
func (s *Set) AddStartup(name string, c check.Checker, opts ...CheckOption) error {
	return s.add(name, c, opts, string(Startup))
}

// AddWedged registers a check on the opt-in wedged tier, as AddReady does.
//
// Unhealthy there asks an orchestrator to restart the process (X3). So it is
// for checks of this process alone, such as a liveness Monitor's Wedged, and
// never for a dependency, which a restart does not mend (CASE-109). A first
// wedged check after Mount is refused, see there.
func (s *Set) AddWedged(name string, c check.Checker, opts ...CheckOption) error {
	return s.add(name, c, opts, string(Wedged))
}

// Register registers a check on all tiers whose tags it carries (S1.2), as
// AddReady does. No tag, an unknown tag and the live tag are refused with
// ErrInvalidTag and a list of the known ones (S1.6).
func (s *Set) Register(name string, c check.Checker, tags ...string) error {
	return s.add(name, c, nil, tags...)
}

func (s *Set) add(name string, c check.Checker, opts []CheckOption, tags ...string) error {
	if err := s.usable(); err != nil {
		return err
	}
	cfg := checkConfig{tags: slices.Clone(tags)}
	for _, opt := range opts {
		if opt != nil {
			opt.applyCheck(&cfg)
		}
	}
	mask, err := parseTags(cfg.tags)
	if err != nil {
		return fmt.Errorf("%w (check %.200q)", err, name)
	}
	if t := s.unseen(mask); t != "" {
		return fmt.Errorf("tiers: check %.200q: the %s tier is not mounted: register its first check before Mount, or mount the tier with a path option", name, t)
	}
	if name == drainingEntry {
		return fmt.Errorf("tiers: check name %q: is the entry that Drain adds", name)
	}
	runner, err := check.NewRunner(name, c, cfg.sampling,
		check.WithClock(s.clock()), check.WithLogger(s.log), check.WithObserver(s.observed))
	if err != nil {
		return fmt.Errorf("tiers: check %.200q: %w", name, err)
	}
	return s.enter(&member{runner: runner, tiers: mask, scheduled: cfg.sampling.Every > 0})
}

// unseen returns an opt-in tier of mask that no path shows although the Set is
// mounted, and "" when there is none.
func (s *Set) unseen(mask tierMask) Tier {
	if s.mounted.Load() {
		for _, t := range [...]Tier{Startup, Wedged} {
			if mask.has(t) && !tierMask(s.served.Load()).has(t) {
				return t
			}
		}
	}
	return ""
}
