//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/alarm"
	"github.com/loopvitals/loopvitals/examples/pair/database"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
	"github.com/loopvitals/loopvitals/examples/pair/warm"
)

// model computes the transitions from the input, in a way of its own.
func (t *trial) model(ctx context.Context) (want []alarm.Transition, err error) {
	var input []alarm.Reading
	for {
		seq, r, found, err := t.streams.Reading(ctx, uint64(len(input)+1))
		if err != nil {
			return nil, err
		}
		if !found {
			break
		}
		if seq != uint64(len(input)+1) {
			return nil, fmt.Errorf("reading %d of the input follows on %d", seq, len(input))
		}
		input = append(input, r)
	}
	want = transitions(input, warm.Limit)
	missed := 0
	for _, g := range t.gaps {
		for _, one := range want {
			if one.Seq > g.from && one.Seq <= g.to {
				missed++
			}
		}
	}
	t.row("the input", "%d readings, %d transitions", len(input), len(want))
	t.row("  of these, while nobody was the primary", "%d transitions", missed)
	return want, must(missed > 0, "no alarm was raised or cleared while nobody was the primary: nothing is shown by that")
}

// transitions is the model: each tag by itself, from the definition.
func transitions(input []alarm.Reading, l alarm.Limit) (all []alarm.Transition) {
	raised := map[string]bool{}
	for i, r := range input {
		is := raised[r.Tag]
		if r.Value >= l.High {
			is = true
		} else if r.Value < l.High-l.Band {
			is = false
		}
		if is != raised[r.Tag] {
			raised[r.Tag] = is
			all = append(all, alarm.Transition{Seq: uint64(i + 1), Tag: r.Tag, Raised: is, Value: r.Value})
		}
	}
	return all
}

// emitted requires that each transition was emitted, once and in order (S4.34).
func (t *trial) emitted(ctx context.Context, want []alarm.Transition) error {
	var got []alarm.Transition
	err := process.Poll(ctx, limit, 50*time.Millisecond, func() bool {
		got = nil
		for {
			_, one, found, err := t.streams.Transition(ctx, uint64(len(got)+1))
			if err != nil || !found {
				return err == nil && len(got) >= len(want)
			}
			got = append(got, one)
		}
	})
	if err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("%d transitions were emitted, and %d must have been: %w", len(got), len(want), errors.Join(err, difference(want, got)))
	}
	t.row("  emitted, over three failovers", "%d, each once and in order", len(got))
	return nil
}

// recorded requires the same of the history (S4.48).
func (t *trial) recorded(ctx context.Context, want []alarm.Transition) error {
	db, err := database.Open(t.database.URL())
	if err != nil {
		return err
	}
	defer db.Close()
	var got []alarm.Transition
	writers := map[string]bool{}
	read := func() error {
		got = nil
		rows, err := db.QueryContext(ctx, `SELECT seq, tag, raised, value, writer FROM history ORDER BY position`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var seq int64
			var one alarm.Transition
			var writer string
			if err := rows.Scan(&seq, &one.Tag, &one.Raised, &one.Value, &writer); err != nil {
				return err
			}
			one.Seq = uint64(seq)
			got, writers[writer] = append(got, one), true
		}
		return rows.Err()
	}
	var last error
	err = process.Poll(ctx, limit, 50*time.Millisecond, func() bool { last = read(); return last == nil && len(got) >= len(want) })
	if err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("%d transitions were recorded, and %d must have been: %w", len(got), len(want), errors.Join(err, last, difference(want, got)))
	}
	t.row("  recorded in the database, by both nodes in turn", "%d, each once", len(got))
	return must(len(writers) == 2, "the history was written by %v: must be both nodes", slices.Collect(maps.Keys(writers)))
}

// difference names the first one that is wrong.
func difference(want, got []alarm.Transition) error {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("%+v is missing", want[i])
		case i >= len(want):
			return fmt.Errorf("%+v is too many", got[i])
		case want[i] != got[i]:
			return fmt.Errorf("%+v is in the place of %+v", got[i], want[i])
		}
	}
	return nil
}
