//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/link"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

// playKill kills the active node, and starts it again once another has taken
// over.
func playKill(ctx context.Context, s *stage, r *round) error {
	if err := s.strike(ctx, r); err != nil {
		return err
	}
	r.owner.life.Kill()
	if err := s.handedOver(ctx, r); err != nil {
		return err
	}
	r.rejoined = r.owner
	return s.start(r.owner)
}

// playRestart kills the active node at the lowest address, and starts it again at
// once: it is back long before anybody has missed it, and must not be taken for
// the one that it was.
func playRestart(ctx context.Context, s *stage, r *round) (err error) {
	for lowest := s.slots[0]; r.was != lowest.life; {
		if err := s.makeActive(ctx, lowest); err != nil {
			return err
		}
		r.owner = lowest
		if err := s.strike(ctx, r); err != nil {
			return err
		}
	}
	r.owner.life.Kill()
	if err := s.start(r.owner); err != nil {
		return err
	}
	if err := s.handedOver(ctx, r); err != nil {
		return err
	}
	r.rejoined = r.owner
	r.youngest = r.next.slot != r.owner
	return nil
}

// makeActive has all other nodes leave and come back, unless the node in the slot
// is the active one.
func (s *stage) makeActive(ctx context.Context, wanted *slot) error {
	if wanted.life.page.Report().Active {
		return nil
	}
	for _, at := range s.slots {
		if at == wanted {
			continue
		}
		if err := at.life.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		if err := at.life.Exit(ctx, giveUp); err != nil {
			return err
		}
		if err := s.start(at); err != nil {
			return err
		}
	}
	active, err := s.settle(ctx, len(s.slots))
	if err == nil && active != wanted {
		err = fmt.Errorf("all others have left, and node %s is active\n%s", active.name, s.state())
	}
	return err
}

// playLeave asks the active node to leave.
func playLeave(ctx context.Context, s *stage, r *round) error {
	if err := s.strike(ctx, r); err != nil {
		return err
	}
	if err := r.owner.life.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := s.handedOver(ctx, r); err != nil {
		return err
	}
	if err := r.owner.life.Exit(ctx, giveUp); err != nil {
		return err
	}
	return s.start(r.owner)
}

// playStop stops the active node as a debugger or a full host does, and lets it
// go on when another has taken over and the TTL has passed.
func playStop(ctx context.Context, s *stage, r *round) error {
	if err := s.strike(ctx, r); err != nil {
		return err
	}
	if err := r.was.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	if err := s.handedOver(ctx, r); err != nil {
		return err
	}
	if err := process.Pause(ctx, time.Duration(r.hit-now())+ttl+200*time.Millisecond); err != nil {
		return err
	}
	r.rejoined = r.owner
	return r.was.Signal(syscall.SIGCONT)
}

// playFreeze stops the active node while it is between its check and its use, and
// lets it go on when the device has already heard of the successor. No check in
// the node can help then, only the token.
func playFreeze(ctx context.Context, s *stage, r *round) error {
	if err := s.strike(ctx, r); err != nil {
		return err
	}
	frozen := &r.was.page.Freeze
	frozen.Store(freezeAsked)
	if err := process.Poll(ctx, giveUp, time.Millisecond, func() bool { return frozen.Load() == freezeHeld }); err != nil {
		return fmt.Errorf("no work was let in: %w", err)
	}
	r.hit = now()
	if err := r.was.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	if err := s.handedOver(ctx, r); err != nil {
		return err
	}
	if err := s.heardOf(ctx, r.next); err != nil {
		return err
	}
	frozen.Store(freezeGo)
	r.rejoined = r.owner
	if err := r.was.Signal(syscall.SIGCONT); err != nil {
		return err
	}
	if err := process.Poll(ctx, giveUp, time.Millisecond, func() bool { return frozen.Load() >= freezeRefused }); err != nil {
		return fmt.Errorf("the frozen write was not answered: %w", err)
	}
	if frozen.Load() == freezeFailed {
		return errors.New("the frozen write did not get to the device")
	}
	return nil
}

// heardOf waits until the device has accepted a write of the process.
func (s *stage) heardOf(ctx context.Context, next *life) error {
	err := process.Poll(ctx, giveUp, 5*time.Millisecond, func() bool {
		runs, err := s.journal.Journal(ctx)
		if err != nil || len(runs) == 0 {
			return false
		}
		last := runs[len(runs)-1]
		return last.Accepted && last.From == next.slot.address && last.Token == next.page.Report().Age
	})
	if err != nil {
		return fmt.Errorf("the device did not hear of %s: %w", next.Name, err)
	}
	return nil
}

// playCut lets the wire between the active node and its engine fall silent.
func playCut(ctx context.Context, s *stage, r *round) error { return s.silence(ctx, r, link.Both) }

// playDeaf lets the requests of the active node through, and loses the answers.
func playDeaf(ctx context.Context, s *stage, r *round) error { return s.silence(ctx, r, link.Answers) }

func (s *stage) silence(ctx context.Context, r *round, d link.Direction) error {
	if err := s.strike(ctx, r); err != nil {
		return err
	}
	defer r.owner.engine.Mend()
	r.owner.engine.Silence(d)
	if err := s.handedOver(ctx, r); err != nil {
		return err
	}
	r.rejoined = r.owner
	return process.Pause(ctx, longer)
}

// longer is how much longer than until the take-over a node is cut off, so that
// one that does not stop in time is seen.
const longer = 700 * time.Millisecond

// playDelete deletes the record of an active node that is cut off, as an operator
// might who takes it for dead. It still acts, and does not know.
func playDelete(ctx context.Context, s *stage, r *round) error {
	if err := s.strike(ctx, r); err != nil {
		return err
	}
	defer r.owner.engine.Mend()
	r.owner.engine.Silence(link.Both)
	if err := process.Pause(ctx, 50*time.Millisecond); err != nil {
		return err
	}
	if err := s.deleteRecord(ctx, r.owner.address); err != nil {
		return err
	}
	if err := s.handedOver(ctx, r); err != nil {
		return err
	}
	r.rejoined = r.owner
	return process.Pause(ctx, longer)
}

// playCable pulls the cable of the active node: to the engine, to the device, to
// everything.
func playCable(ctx context.Context, s *stage, r *round) (err error) {
	if err := s.strike(ctx, r); err != nil {
		return err
	}
	if err := r.owner.cable.pull(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.owner.cable.join()) }()
	if err := s.handedOver(ctx, r); err != nil {
		return err
	}
	r.rejoined = r.owner
	return process.Pause(ctx, longer)
}

func playEngineShort(ctx context.Context, s *stage, r *round) error {
	return s.engineDown(ctx, r, 0)
}

func playEngineLong(ctx context.Context, s *stage, r *round) error {
	return s.engineDown(ctx, r, ttl+time.Second)
}

func (s *stage) engineDown(ctx context.Context, r *round, d time.Duration) error {
	if err := s.strike(ctx, r); err != nil {
		return err
	}
	s.engine.Kill()
	if err := process.Pause(ctx, d); err != nil {
		return err
	}
	if err := s.startEngine(ctx); err != nil {
		return err
	}
	// What was confirmed before may be valid yet, and says nothing.
	back := now()
	err := process.Poll(ctx, settleLimit, 5*time.Millisecond, func() bool {
		return !slices.ContainsFunc(s.slots, func(at *slot) bool { return at.life.page.Report().Confirmed < back })
	})
	if errors.Is(err, process.ErrTimeout) {
		err = fmt.Errorf("all confirmed by the new engine: %w\n%s", err, s.state())
	}
	return err
}
