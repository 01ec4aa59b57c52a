//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// trial is everything that is done on the stage, in its order.
type trial struct {
	*stage
	out   io.Writer
	begun time.Time
	main  *sidecar // the one that lives through most of it
	pace  float64  // orders a second, without an adapter

	number uint64 // of an order in the first life of the node
}

func (t *trial) all(ctx context.Context) error {
	fmt.Fprint(t.out, heading)
	for _, act := range []func(context.Context) error{
		t.alone,
		t.beside,
		t.refusals,
		t.dependency,
		t.nodeFrozen,
		t.nodeKilled,
		t.stranger,
		t.damaged,
		t.dispossessed,
		t.full,
		t.old,
		t.adapterFrozen,
		t.crowd,
		t.undisturbed,
		t.adapterKilled,
		t.terminated,
		t.leave,
	} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	return nil
}

const heading = `
Answers are those of /startup, /ready and /live, by GET and by HEAD. After each,
loopvitals probe was run against all three and exited 0 for 200 and 1 for 503.
"Last 200" is how long after the fault an endpoint still passed: at most 4 s.

  at s  what was done                                            answers      measured
------------------------------------------------------------------------------------------------------
`

// row prints what was seen.
func (t *trial) row(what string, answers any, measured string, args ...any) {
	fmt.Fprintf(t.out, "%6.1f  %-55s  %-11v  %s\n", time.Since(t.begun).Seconds(), what, answers, fmt.Sprintf(measured, args...))
}

// failing has the row say when the last 200 was.
func (t *trial) failing(what string, answers codes, w seen) {
	if w.last == 0 {
		t.row(what, answers, "no 200 from then on")
		return
	}
	t.row(what, answers, "last 200 after %s", seconds(w.last))
}

// passing has the row say how long it took.
func (t *trial) passing(what string, answers codes, w seen) {
	t.row(what, answers, "after %s", seconds(w.took))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// require is an error unless it holds.
func require(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}
