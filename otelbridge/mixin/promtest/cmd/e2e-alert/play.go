package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// play is what goes on from the first act to the last.
type play struct {
	ctx      context.Context //nolint:containedctx // one run
	out      io.Writer
	consumer string // path of the program
	rules    *rules
	begun    time.Time
	steps    int // so far
}

func (p *play) seconds() float64 { return time.Since(p.begun).Seconds() }

func (p *play) printf(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

// step is one thing to see.
type step struct {
	title string
	why   string // what it shows, in plain words
	see   func() error
}

// run plays the steps of an act in order, up to the first that fails; autopsy
// says how things were then.
func (p *play) run(autopsy func() string, steps []step) error {
	for _, s := range steps {
		p.steps++
		p.printf("\n[%d] %s  (%.1f s)\n", p.steps, s.title, p.seconds())
		for line := range strings.Lines(s.why) {
			p.printf("  %s", line)
		}
		p.printf("\n")
		if err := s.see(); err != nil {
			if errors.Is(context.Cause(p.ctx), context.Canceled) {
				return err // interrupted: nothing is wrong
			}
			return fmt.Errorf("step %d failed (%s)\n%w\n%s", p.steps, s.title, err, autopsy())
		}
	}
	return nil
}

const (
	// patience is how long a step waits for what it expects. It only matters
	// when something is wrong, or the machine very busy.
	patience = 30 * time.Second
	// glance is how often it looks.
	glance = 20 * time.Millisecond
)

// await looks until there is nothing amiss. want says what is waited for, and
// look what is there instead.
func (p *play) await(limit time.Duration, want string, look func() (amiss string)) error {
	return p.until(limit, func() (bool, error) {
		amiss := look()
		return amiss == "", mismatch(want, amiss)
	})
}

// settle looks until nothing was amiss for as long as d in a row.
func (p *play) settle(d, limit time.Duration, want string, look func() (amiss string)) (looks int, err error) {
	since := time.Now()
	err = p.await(limit, want, func() string {
		amiss := look()
		switch looks++; {
		case amiss != "":
			since, looks = time.Now(), 0
		case time.Since(since) < d:
			amiss = fmt.Sprintf("only for %.1f s so far", time.Since(since).Seconds())
		}
		return amiss
	})
	return looks, err
}

// keep looks for as long as d: nothing may be amiss at any time.
func (p *play) keep(d time.Duration, want string, look func() (amiss string)) (looks int, err error) {
	for end := time.Now().Add(d); time.Now().Before(end) && err == nil; looks++ {
		if amiss := look(); amiss != "" {
			return looks, mismatch(want, amiss)
		}
		err = p.wait(glance)
	}
	return looks, err
}

// until asks until done, and returns the last error when it takes too long.
func (p *play) until(limit time.Duration, ask func() (done bool, err error)) error {
	for end := time.Now().Add(limit); ; {
		done, err := ask()
		if done {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w\n  waited:   %v", err, limit)
		}
		if ended := p.wait(glance); ended != nil {
			return fmt.Errorf("%w\n  waited:   %w", err, ended)
		}
	}
}

func (p *play) wait(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
}

func mismatch(want, got string) error {
	return fmt.Errorf("  expected: %s\n  got:      %s", want, got)
}
