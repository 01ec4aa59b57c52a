//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/database"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
	"github.com/loopvitals/loopvitals/examples/pair/field"
)

// writePath is what becomes of writes that are let in (S4.43 to S4.45).
func (t *trial) writePath(ctx context.Context) error {
	issued, err := t.issued(ctx)
	if err != nil {
		return err
	}
	if err := t.journal.Trouble(ctx, field.Trouble{Advises: 3, Unconfirmed: 4}); err != nil {
		return err
	}
	// The client that writes to A all the time runs into the trouble.
	if err := errors.Join(
		t.counts(ctx, t.a, "galaxy_writes_advise_failed_total", 3),
		t.counts(ctx, t.a, "galaxy_writes_unconfirmed_total", 4),
	); err != nil {
		return err
	}
	failed := t.a.writer.count(bad)
	if err := must(failed == 3, "%d writes to A were answered as bad: must be 3", failed); err != nil {
		return err
	}
	after, err := t.issued(ctx)
	if err != nil {
		return err
	}
	// Each write that was issued was advised, and the three were not issued.
	if err := must(after.advised-after.written-(issued.advised-issued.written) >= 3-1, "3 writes could not be advised, and %d were advised and %d issued", after.advised, after.written); err != nil {
		return err
	}
	t.row("3 items cannot be advised: their writes are bad, and not issued", "advise_failed 3")
	t.row("4 writes come back without a status: good, and not confirmed", "unconfirmed 4")
	return t.badItem(ctx)
}

// issued are the operations at the device.
type issued struct{ advised, written int }

func (t *trial) issued(ctx context.Context) (i issued, err error) {
	all, err := t.journal.Journal(ctx)
	for _, e := range all {
		switch e.Op {
		case field.Advise:
			i.advised += e.Count
		case field.Write:
			i.written += e.Count
		}
	}
	return i, err
}

// counts waits until a counter of the node has a value.
func (t *trial) counts(ctx context.Context, at *slot, series string, want int) error {
	got := -1
	err := process.Poll(ctx, limit, 50*time.Millisecond, func() bool {
		got = t.counter(ctx, at, series)
		return got == want
	})
	if errors.Is(err, process.ErrTimeout) {
		err = fmt.Errorf("node %s: %s is %d: must be %d", at.name, series, got, want)
	}
	return err
}

// counter scrapes the node; -1 when it has no such series.
func (t *trial) counter(ctx context.Context, at *slot, series string) int {
	_, text, err := t.ask(ctx, http.MethodGet, at, "/metrics")
	if err != nil {
		return -1
	}
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(series) + ` (\d+)$`).FindStringSubmatch(text)
	if found == nil {
		return -1
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return -1
	}
	return n
}

const (
	failedNodes   = `otopcua_opcua_apply_failed_total{kind="nodes"}`
	failedRebuild = `otopcua_opcua_apply_failed_total{kind="rebuild"}`
)

// badItem is a configuration of which an item cannot be made.
func (t *trial) badItem(ctx context.Context) error {
	db, err := database.Open(t.database.URL())
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `INSERT INTO nodes (tag, unit) VALUES ('two words', 'm')`); err != nil {
		return err
	}
	code, body, err := t.ask(ctx, http.MethodPost, t.a, "/deploy")
	if err != nil {
		return err
	}
	if err := errors.Join(
		must(code == http.StatusInternalServerError, "a deployment with a bad item is answered %d %s", code, body),
		t.counts(ctx, t.a, failedNodes, 1),
		logged(t.a.life, "level=ERROR", 1),
	); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `DELETE FROM nodes WHERE tag = 'two words'`); err != nil {
		return err
	}
	if code, body, err = t.ask(ctx, http.MethodPost, t.a, "/deploy"); err != nil {
		return err
	}
	t.row("a configuration has an item that cannot be made: logged as an error", "apply_failed nodes 1")
	return must(code == http.StatusOK && strings.Contains(body, "pressure"), "a good deployment is answered %d %s", code, body)
}

// acknowledge sends an acknowledgement to both nodes: both take it in, and one
// tells the device.
func (t *trial) acknowledge(ctx context.Context) error {
	told := map[*slot]string{}
	for _, at := range t.slots() {
		err := process.Poll(ctx, limit, 10*time.Millisecond, func() bool {
			var p picture
			if t.get(ctx, at, "/alarms", &p) != nil {
				return false
			}
			for tag := range p.Alarms {
				code, body, err := t.ask(ctx, http.MethodPost, at, "/ack?tag="+tag)
				if err == nil && code == http.StatusOK {
					told[at] = body
					return true
				}
			}
			return false // no alarm is active at this moment
		})
		if err != nil {
			return fmt.Errorf("an acknowledgement to %s: %w", at.name, err)
		}
	}
	t.row("an acknowledgement to both nodes: both take it in, the device is told by A", "A: %s, B: %s", told[t.a], told[t.b])
	return must(told[t.a] == `{"device":"told"}` && told[t.b] == `{"device":"not told"}`, "A answered %s and B %s", told[t.a], told[t.b])
}
