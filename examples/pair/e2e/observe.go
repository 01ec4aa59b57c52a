//go:build linux

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/device"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/claim"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

const (
	// settleLimit is for a slow machine; a fault does not begin before.
	settleLimit = 30 * time.Second
	// giveUp is how long a successor is waited for. It is more than the limits
	// that are asserted, so that what was too slow is seen as a number.
	giveUp = 20 * time.Second
	// fresh is how old a report may be to count.
	fresh = 100 * time.Millisecond
)

// settle waits until so many nodes are members who see each other, and one of them
// is active, and returns that one.
func (s *stage) settle(ctx context.Context, members int) (active *slot, err error) {
	err = process.Poll(ctx, settleLimit, 5*time.Millisecond, func() bool {
		active = s.settled(members)
		return active != nil
	})
	if errors.Is(err, process.ErrTimeout) {
		err = fmt.Errorf("%d members and one of them active: %w\n%s", members, err, s.state())
	}
	return active, err
}

func (s *stage) settled(members int) (active *slot) {
	up := 0
	for _, at := range s.slots {
		r := at.life.page.Report()
		if !at.life.Running() || now()-r.At >= int64(fresh) || !r.Up || (s.cast.verb == nodeVerb && int(r.Members) < members) {
			continue
		}
		up++
		switch {
		case r.Active && active != nil:
			return nil // the reports are of different moments
		case r.Active:
			active = at
		}
	}
	if up < members {
		return nil
	}
	return active
}

// successor waits for the first claim after an instant by another process than
// the one that was active.
func (s *stage) successor(ctx context.Context, after int64, not *life) (next *life, first int64, err error) {
	err = process.Poll(ctx, giveUp, time.Millisecond, func() bool {
		for _, at := range s.slots {
			if at.life == not {
				continue
			}
			spans, _ := at.life.page.Gate.Spans()
			for _, span := range spans {
				if span.First >= after && (next == nil || span.First < first) {
					next, first = at.life, span.First
				}
			}
		}
		return next != nil
	})
	if errors.Is(err, process.ErrTimeout) {
		err = fmt.Errorf("nobody took over: %w\n%s", err, s.state())
	}
	return next, first, err
}

// lastClaim is when a process claimed for the last time before an instant.
func lastClaim(l *life, before int64) int64 {
	last := int64(0)
	spans, _ := l.page.Gate.Spans()
	for _, span := range spans {
		if span.First < before {
			last = max(last, span.Last)
		}
	}
	return last
}

// owned is a span and whose it is.
type owned struct {
	claim.Span
	by *life
}

// claims are all spans of all processes that reach beyond the last time that this
// was asked, by gates and by health endpoints, in the order of their beginnings.
func (s *stage) claims() (all []owned, err error) {
	since := s.claimsSeen
	s.claimsSeen = now()
	for _, l := range s.lives {
		for _, track := range []*claim.Track{&l.page.Gate, &l.page.Tier} {
			spans, complete := track.Spans()
			if !complete {
				return nil, fmt.Errorf("%s: claimed so many times that the page is full", l.Name)
			}
			for _, span := range spans {
				if span.Last >= since {
					all = append(all, owned{span, l})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b owned) int { return cmp.Compare(a.First, b.First) })
	return all, nil
}

// overlap is the longest time for which two processes claimed at once.
func overlap(all []owned) (longest time.Duration) {
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.by != b.by {
				longest = max(longest, a.Overlap(b.Span))
			}
		}
	}
	return longest
}

// lapse is the longest time between two instants in which nobody claimed.
func lapse(all []owned, from, to int64) (longest time.Duration) {
	at := from
	for _, c := range all {
		if c.First > to {
			break
		}
		longest = max(longest, time.Duration(c.First-at))
		at = max(at, c.Last)
	}
	return max(longest, time.Duration(to-at))
}

// youngest tells whether the node in the slot is younger than all others.
func (s *stage) youngest(at *slot) bool {
	age := at.life.page.Report().Age
	for _, other := range s.slots {
		if other != at && other.life.page.Report().Age >= age {
			return false
		}
	}
	return true
}

// stale counts the writes since the last time that this was asked that came to the
// device with a token smaller than one that it had accepted before: by its own
// journal, and not by what it says of them.
func (s *stage) stale(ctx context.Context) (accepted, refused int, err error) {
	runs, err := s.journal.Journal(ctx)
	if err != nil {
		return 0, 0, err
	}
	accepted, refused = countStale(runs)
	before := s.staleSeen
	s.staleSeen = [2]int{accepted, refused}
	return accepted - before[0], refused - before[1], nil
}

func countStale(runs []device.Run) (accepted, refused int) {
	largest := uint64(0)
	for _, r := range runs {
		switch {
		case !r.Accepted:
			refused += r.Writes
		case r.Token < largest:
			accepted += r.Writes
		default:
			largest = r.Token
		}
	}
	return accepted, refused
}
