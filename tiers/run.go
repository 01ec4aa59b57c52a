package tiers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// DefaultRefresh is how often Run evaluates the tiers.
const DefaultRefresh = 5 * time.Second

// ErrRunning is returned by Run while another Run of the Set is in progress.
var ErrRunning = errors.New("tiers: already running")

// Run keeps what exporters read fresh: it evaluates the tiers in use at once
// and then at every refresh interval (WithRefresh), and keeps the schedules of
// checks that have one, those registered later included. It returns nil after
// ctx has ended, when the checks it started have ended or reached their limits:
// only a check's call that is hung stays behind. A log handler or an observer
// may be at the last samples for a moment more. A nil ctx never ends.
//
// Probes work without it. Then a tier is evaluated when it is probed and at no
// other time, and exporters show it as unknown for the rest.
func (s *Set) Run(ctx context.Context) error {
	if err := s.usable(); err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background() //nolint:forbidigo // nil is a caller with no limit of its own
	}
	changed, err := s.begin()
	if err != nil {
		return err
	}
	defer s.end()

	var schedules sync.WaitGroup
	defer schedules.Wait()
	kept := make(map[*member]bool)

	tick := s.clock().Ticker(s.refreshEvery())
	defer tick.Stop()
	for {
		for _, m := range s.registry().members {
			if m.scheduled && !kept[m] {
				kept[m] = true
				schedules.Go(func() { _ = m.runner.Run(ctx) }) // nil: it has a schedule
			}
		}
		s.evaluateAll(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-changed:
		}
	}
}

// evaluateAll evaluates the tiers in use, one after the other. An evaluation
// that has begun is waited for, also when ctx ends: it takes no longer than the
// checks' limits.
func (s *Set) evaluateAll(ctx context.Context) {
	for _, t := range order {
		if s.inUse(t) && ctx.Err() == nil {
			s.evaluate(context.WithoutCancel(ctx), t)
		}
	}
}

// begin marks the Set as running and returns the channel on which
// registrations are announced.
func (s *Set) begin() (<-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed != nil {
		return nil, ErrRunning
	}
	s.changed = make(chan struct{}, 1)
	return s.changed, nil
}

func (s *Set) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = nil
}

// errNil is what a nil Set answers where there is an error to return.
var errNil = errors.New("tiers: set nil: must not be nil")

// usable refuses a nil Set and one with an option that cannot be.
func (s *Set) usable() error {
	switch {
	case s == nil:
		return errNil
	case s.refresh < 0:
		return fmt.Errorf("tiers: refresh %v: must not be negative", s.refresh)
	}
	return nil
}

func (s *Set) refreshEvery() time.Duration {
	if s.refresh == 0 {
		return DefaultRefresh
	}
	return s.refresh
}
