//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/link"
)

// blocked is a node whose endpoint nobody reaches, while all else works.
func (t *trial) blocked(ctx context.Context) error {
	begun, before := now(), t.a.writer.count(accepted)
	t.a.block()
	took, err := t.shows(ctx, t.a, 100, begun, limit)
	if err != nil {
		return err
	}
	if err := t.writes(ctx, t.a); err != nil {
		return err
	}
	l, err := t.level(ctx, t.a)
	if err != nil {
		return err
	}
	if err := errors.Join(
		must(took < noticeLimit, "that must show within %v, and took %v", noticeLimit, took),
		must(l.Role == "primary", "A is %s: must go on as the primary", l.Role),
		must(t.a.writer.count(accepted) > before, "A accepts no writes"),
	); err != nil {
		return err
	}
	t.row("the endpoint of A is blocked: it shows 100, and stays the primary", "%s later", seconds(took))
	again := now()
	if err := t.a.unblock(); err != nil {
		return err
	}
	back, err := t.shows(ctx, t.a, 250, again, limit)
	if err != nil {
		return err
	}
	t.row("  open again: 250", "%s later", seconds(back))
	return t.pair(ctx, t.a)
}

// noDatabase takes the database away from both, and gives it back.
func (t *trial) noDatabase(ctx context.Context) error {
	begun := now()
	if err := t.database.Stop(ctx); err != nil {
		return err
	}
	first, err := t.shows(ctx, t.a, 100, begun, limit)
	if err != nil {
		return err
	}
	second, err := t.shows(ctx, t.b, 100, begun, limit)
	if err != nil {
		return err
	}
	t.row("the database is stopped (immediate): both show 100", "%s and %s later", seconds(first), seconds(second))
	// Roles stay, and so does what does not need it.
	if err := t.writes(ctx, t.a); err != nil {
		return err
	}
	code, body, err := t.ask(ctx, http.MethodPost, t.a, "/deploy")
	if err != nil {
		return err
	}
	ready, _, err := t.ask(ctx, http.MethodGet, t.a, "/health/ready")
	if err != nil {
		return err
	}
	if err := errors.Join(
		must(code == http.StatusInternalServerError, "a deployment without a database is answered %d %s", code, body),
		t.counts(ctx, t.a, failedRebuild, 1),
		must(ready == http.StatusServiceUnavailable, "ready is answered with %d without a database", ready),
		must(max(first, second) < noticeLimit, "that must show within %v", noticeLimit),
	); err != nil {
		return err
	}
	t.row("  A still writes; its address space cannot be rebuilt, the old one stays", "apply_failed rebuild 1")
	again := now()
	if err := t.database.Start(ctx); err != nil {
		return err
	}
	if _, err := t.shows(ctx, t.a, 250, again, limit); err != nil {
		return err
	}
	back, err := t.shows(ctx, t.b, 240, again, limit)
	if err != nil {
		return err
	}
	t.row("  started again: 250 and 240", "%s later", seconds(back))
	return t.pair(ctx, t.a)
}

// noBus cuts the secondary off from the snapshots, and from nothing else.
func (t *trial) noBus(ctx context.Context) error {
	begun := now()
	t.b.bus.Silence(link.Both)
	took, err := t.shows(ctx, t.b, 200, begun, limit)
	if err != nil {
		return err
	}
	if err := errors.Join(
		must(took > staleAfter-republish, "that came after %v: must be at least %v", took, staleAfter-republish),
		must(took < staleAfter+noticeLimit, "that must show within %v, and took %v", staleAfter+noticeLimit, took),
	); err != nil {
		return err
	}
	t.row("the bus to B is silent, its database is there: it shows 200", "%s later", seconds(took))
	again := now()
	t.b.bus.Mend()
	back, err := t.shows(ctx, t.b, 240, again, limit)
	if err != nil {
		return err
	}
	t.row("  mended: 240", "%s later", seconds(back))
	return t.pair(ctx, t.a)
}

// wrongCalendar has each node's calendar run wrong, one after the other.
func (t *trial) wrongCalendar(ctx context.Context) error {
	for _, by := range []string{"-40s", "1h"} {
		for _, at := range t.slots() {
			set := func(by string) (moved string, err error) {
				_, moved, err = t.ask(ctx, http.MethodPost, at, calendarPath+"?by="+by)
				return moved, err
			}
			before, err := set(by)
			if err != nil {
				return err
			}
			if err := t.steady(ctx, 2*republish); err != nil {
				return fmt.Errorf("the calendar of %s is wrong by %s: %w", at.name, by, err)
			}
			after, err := set("0s")
			if err != nil {
				return err
			}
			if err := must(after != before, "node %s published nothing while its calendar was wrong", at.name); err != nil {
				return err
			}
		}
		t.row("the calendar of A, then of B, is wrong by "+by, "levels did not move")
	}
	return t.pair(ctx, t.a)
}
