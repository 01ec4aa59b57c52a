//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

// old has an adapter told a truth that is too old when it comes, by a command that
// succeeds (S2.11).
func (t *trial) old(ctx context.Context) error {
	other, err := t.attend(ctx, t.commanded(tellOld))
	if err != nil {
		return err
	}
	defer other.Kill()
	w, err := t.sees(ctx, other, none, time.Now())
	if err != nil {
		return fmt.Errorf("a command that tells what is old: %w", err)
	}
	t.failing("the command tells what is 3.001 s old", none, w)
	return nil
}

// adapterFrozen freezes the adapter for longer than what it knows is good for, and
// the node with it, so that there is nothing fresh to be had when it wakes up.
func (t *trial) adapterFrozen(ctx context.Context) error {
	if _, err := t.sees(ctx, t.main, all, time.Now()); err != nil {
		return err
	}
	if err := errors.Join(freeze(ctx, t.main.Process), freeze(ctx, t.node)); err != nil {
		return err
	}
	since := time.Now()
	if err := process.Pause(ctx, maximumAge+200*time.Millisecond); err != nil {
		return err
	}
	if err := thaw(t.main.Process); err != nil {
		return err
	}
	w, err := t.sees(ctx, t.main, none, since)
	if err == nil && w.last > 0 {
		err = fmt.Errorf("an answer %v after that was 200", w.last)
	}
	if err != nil {
		return fmt.Errorf("adapter and node were frozen, and the adapter woke up: %w", err)
	}
	t.failing("adapter and node are frozen 3.2 s, the adapter goes on", none, w)
	since = time.Now()
	if err := thaw(t.node); err != nil {
		return err
	}
	if w, err = t.sees(ctx, t.main, all, since); err != nil {
		return err
	}
	t.passing("the node goes on, too", all, w)
	return nil
}

// adapterKilled kills an adapter while its command hangs (A9).
func (t *trial) adapterKilled(ctx context.Context) error {
	other, err := t.hanging(ctx)
	if err != nil {
		return err
	}
	since := time.Now()
	other.Kill()
	if err := process.Poll(ctx, limit, time.Millisecond, func() bool { return len(t.hung()) == 0 }); err != nil {
		return fmt.Errorf("the adapter was killed, and processes %v of its command go on: %w", t.hung(), err)
	}
	took := time.Since(since)
	if exit, said := t.probe(ctx, "http://"+other.address+"/live"); exit != 2 {
		return fmt.Errorf("loopvitals probe of a dead adapter: exit status %d: must be 2\n%s", exit, said)
	}
	t.row("the adapter is killed (SIGKILL) while its command hangs", "nobody", "command gone after %s, probe exits 2", seconds(took))
	return nil
}

// stopBound is for the end of the adapter after SIGTERM (A10).
const stopBound = 500 * time.Millisecond

// terminated stops an adapter while its command hangs (S2.16).
func (t *trial) terminated(ctx context.Context) error {
	took, err := t.stopsInTime(ctx)
	if err != nil {
		return err
	}
	if left := t.hung(); len(left) > 0 {
		return fmt.Errorf("the adapter has ended, and processes %v of its command go on", left)
	}
	t.row("SIGTERM to the adapter while its command hangs", "", "exit 0 after %s (at most 0.50 s), command gone", seconds(took))
	return nil
}

func (t *trial) stopsInTime(ctx context.Context) (took time.Duration, err error) {
	for range tries {
		other, err := t.hanging(ctx)
		if err != nil {
			return 0, err
		}
		since := time.Now()
		if err := errors.Join(other.Signal(syscall.SIGTERM), other.Exit(ctx, limit)); err != nil {
			return 0, err
		}
		if took = time.Since(since); took <= stopBound {
			return took, nil
		}
	}
	return took, fmt.Errorf("the adapter took %v to end, and no less in %d tries: must be %v at most", took, tries, stopBound)
}

// hanging starts an adapter whose command hangs, and waits until it does.
func (t *trial) hanging(ctx context.Context) (*sidecar, error) {
	other, err := t.attend(ctx, t.commanded(hang))
	if err != nil {
		return nil, err
	}
	if err := t.probes(ctx, other.address, none); err != nil {
		return nil, err
	}
	return other, process.Poll(ctx, limit, time.Millisecond, func() bool { return len(t.hung()) > 0 })
}

// hung lists the commands that hang, of all adapters.
func (t *trial) hung() []int {
	return mentioning(strings.Join([]string{misbehaveVerb, hang, t.folder}, "\x00"))
}

// leave ends the adapter and then the node, and looks for what stays.
func (t *trial) leave(ctx context.Context) error {
	peak := megabytes(t.main.Pid(), "VmHWM")
	since := time.Now()
	if err := errors.Join(t.main.Signal(syscall.SIGTERM), t.main.Exit(ctx, limit)); err != nil {
		return err
	}
	t.row("SIGTERM to the adapter that was there all the time", "", "exit 0 after %s; had %.1f MiB at most", seconds(time.Since(since)), peak)
	since = time.Now()
	if err := errors.Join(t.node.Signal(syscall.SIGTERM), t.node.Exit(ctx, limit)); err != nil {
		return err
	}
	if _, err := os.Stat(t.socket()); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the node has ended, and its socket is there: %w", err)
	}
	if left := mentioning(t.folder); len(left) > 0 {
		return fmt.Errorf("processes %v are left", left)
	}
	t.row("SIGTERM to the node", "", "exit 0 after %s; no process and no socket left", seconds(time.Since(since)))
	return nil
}
