//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

// limit is how long anything is waited for, on a slow machine.
const limit = 30 * time.Second

// trial is everything that is done on the stage, in its order.
type trial struct {
	*stage
	out   io.Writer
	begun time.Time
	gaps  []gap // in which nobody was the primary

	unknowns int // fresh nodes that were seen to deny since their role was unknown
}

// gap is a part of the input.
type gap struct {
	from, to uint64
}

func (t *trial) all(ctx context.Context) error {
	fmt.Fprint(t.out, heading)
	t.gather(ctx)
	for _, act := range []func(context.Context) error{
		t.alone,
		t.secondary,
		t.writePath,
		t.acknowledge,
		t.killed,
		t.back,
		t.twice,
		t.partition,
		t.blocked,
		t.noDatabase,
		t.noBus,
		t.wrongCalendar,
		t.leave,
		t.finale,
	} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	return nil
}

const heading = `
  at s  what                                                                     measured
----------------------------------------------------------------------------------------
`

// row prints what was measured.
func (t *trial) row(what, measured string, args ...any) {
	fmt.Fprintf(t.out, "%6.1f  %-72s %s\n", time.Since(t.begun).Seconds(), what, fmt.Sprintf(measured, args...))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// pair waits until the first node is a healthy primary and the other a healthy
// secondary.
func (t *trial) pair(ctx context.Context, primary *slot) error {
	since := now()
	if _, err := t.shows(ctx, primary, 250, since, limit); err != nil {
		return err
	}
	_, err := t.shows(ctx, t.peer(primary), 240, since, limit)
	return err
}

// steadies is how often steady looks. A machine that stands still for seconds can
// make a node look bad for a moment; a wrong calendar would, all the time.
const steadies = 5

// steady requires that both nodes show what they show, for so long.
func (t *trial) steady(ctx context.Context, d time.Duration) (err error) {
	for range steadies {
		if err = t.steadyOnce(ctx, d); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
	}
	return err
}

func (t *trial) steadyOnce(ctx context.Context, d time.Duration) error {
	from := now()
	if err := process.Pause(ctx, d); err != nil {
		return err
	}
	for _, at := range t.slots() {
		h, err := readHistory(at.life.path)
		if err != nil {
			return err
		}
		if last := h[len(h)-1]; last.Since > from || last.Level != 250 && last.Level != 240 {
			return fmt.Errorf("node %s has come to show %d, %s: must not change", at.name, last.Level, last.Role)
		}
	}
	return nil
}

// must is an error unless it holds.
func must(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// inOrder tells whether all words come in this order, whatever is in between.
func inOrder(all []string, words ...string) bool {
	for _, word := range words {
		i := slices.Index(all, word)
		if i < 0 {
			return false
		}
		all = all[i+1:]
	}
	return true
}

// logged requires that the node's log has the text so many times at least.
func logged(l *life, text string, times int) error {
	got := strings.Count(l.Log(), text)
	return must(got >= times, "node %s: %q is %d times in the log, must be %d", l.slot.name, text, got, times)
}
