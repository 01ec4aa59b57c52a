//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/device"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/link"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

const (
	// failoverLimit is the longest failover: the TTL, the debounce of the
	// snapshot that tells it, and what a slow machine may add.
	failoverLimit = ttl + 4*time.Second
	// noticeLimit is how soon a fault must show, of which each node finds out
	// within an interval and a timeout of its own.
	noticeLimit = 10 * time.Second
)

// input is the number of the newest reading.
func (t *trial) input(ctx context.Context, at *slot) (uint64, error) {
	var p picture
	err := t.get(ctx, at, "/alarms", &p)
	return p.Seq, err
}

// succeeds waits until the node accepts writes and shows 250, after the other one
// has stopped, and notes what came in meanwhile.
func (t *trial) succeeds(ctx context.Context, next *slot, since int64) (took time.Duration, err error) {
	from, err := t.input(ctx, next)
	if err != nil {
		return 0, err
	}
	before := next.writer.count(accepted)
	if took, err = t.shows(ctx, next, 250, since, limit); err != nil {
		return 0, err
	}
	to, err := t.input(ctx, next)
	if err != nil {
		return 0, err
	}
	t.gaps = append(t.gaps, gap{from, to})
	if err := process.Poll(ctx, limit, time.Millisecond, func() bool { return next.writer.count(accepted) > before }); err != nil {
		return 0, fmt.Errorf("node %s accepts no writes: %w", next.name, err)
	}
	return took, nil
}

// killed is the death of the primary A.
func (t *trial) killed(ctx context.Context) error {
	was := t.a.life
	was.ended = now()
	was.Kill()
	took, err := t.succeeds(ctx, t.b, was.ended)
	if err != nil {
		return err
	}
	t.row("A is killed (kill -9): B shows 250 and writes", "%s later", seconds(took))
	if err := must(took < failoverLimit, "that must take at most %v", failoverLimit); err != nil {
		return err
	}
	return t.late(ctx)
}

// late is a write of the old primary that was on its way for all that time.
func (t *trial) late(ctx context.Context) error {
	all, err := t.journal.Journal(ctx)
	if err != nil {
		return err
	}
	token := all[0].Token
	_, err = t.journal.Write(ctx, token, "valve", "late")
	t.row("  a write with the token of A arrives after that", "refused by the device")
	return must(errors.Is(err, device.ErrStale), "the device answered a write with token %d with %v: must refuse it", token, err)
}

// back is the return of A, which spells its address in another way.
func (t *trial) back(ctx context.Context) error {
	if err := t.fresh(ctx, t.a, t.a.otherSpelling()); err != nil {
		return err
	}
	l, err := t.level(ctx, t.a)
	if err != nil {
		return err
	}
	t.row("  it came back as "+t.a.otherSpelling(), "the same node to B")
	return must(l.Role == "secondary" && l.Primary == t.b.address, "A is %s, and names the primary %s", l.Role, l.Primary)
}

// partition cuts the primary B off from the engine, and so from the bus, the input
// and the output. The device and the database still answer it.
func (t *trial) partition(ctx context.Context) error {
	cut := now()
	t.b.engine.Silence(link.Both)
	t.b.bus.Silence(link.Both)
	took, err := t.succeeds(ctx, t.a, cut)
	if err != nil {
		return err
	}
	h, err := readHistory(t.b.life.path)
	if err != nil {
		return err
	}
	served := h.spans(t.b.life, now(), func(l look) bool { return l.Serves })
	if len(served) == 0 || served[len(served)-1].first > cut {
		return fmt.Errorf("node B was not seen to serve before it was cut off: %+v", served)
	}
	closed := time.Duration(served[len(served)-1].last - cut)
	t.row("B is cut off: its gate closes at its fence", "%s later", seconds(closed))
	t.row("  A shows 250 and writes", "%s later", seconds(took))
	if err := errors.Join(
		must(closed < took, "B served until %v after it was cut off, and A from %v", closed, took),
		must(took < failoverLimit, "that must take at most %v", failoverLimit),
	); err != nil {
		return err
	}
	stale, err := t.shows(ctx, t.b, 200, cut, limit)
	if err != nil {
		return err
	}
	asked, before := now(), t.b.writer.count(accepted)
	if err := process.Pause(ctx, 200*time.Millisecond); err != nil {
		return err
	}
	if err := errors.Join(
		must(t.b.writer.count(accepted) == before, "B accepts writes while it is cut off"),
		must(inOrder(words(t.b.writer.since(asked)), roleUnknown), "writes to B are answered %q", words(t.b.writer.since(asked))),
	); err != nil {
		return err
	}
	t.row("  B, whose snapshots are old: shows 200, and denies as role unknown", "%s later", seconds(stale))
	mended := now()
	t.b.engine.Mend()
	t.b.bus.Mend()
	back, err := t.shows(ctx, t.b, 240, mended, limit)
	if err != nil {
		return err
	}
	t.row("  mended: B is the youngest, and shows 240", "%s later", seconds(back))
	return errors.Join(t.pair(ctx, t.a), t.up(ctx, t.b))
}

// leave has the primary A say goodbye.
func (t *trial) leave(ctx context.Context) error {
	was := t.a.life
	begun := now()
	if err := was.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	took, err := t.succeeds(ctx, t.b, begun)
	if err != nil {
		return err
	}
	if err := was.Exit(ctx, limit); err != nil {
		return fmt.Errorf("%w\n%s", err, was.Tail())
	}
	was.ended = now()
	h, err := readHistory(was.path)
	if err != nil {
		return err
	}
	down := h.spans(was, was.ended, func(l look) bool { return l.Level == 0 })
	if err := errors.Join(
		must(h[len(h)-1].Level == 0, "A left with %d as its last level: must be 0", h[len(h)-1].Level),
		must(took < failoverLimit, "that must take at most %v", failoverLimit),
		logged(was, "ServiceLevel value=0", 2),
	); err != nil {
		return err
	}
	t.row("A is told to leave (SIGTERM): it shows 0", "%s later", seconds(time.Duration(down[len(down)-1].first-begun)))
	t.row("  B shows 250 and writes", "%s later", seconds(took))
	return nil
}
