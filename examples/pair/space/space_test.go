package space

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/loopvitals/loopvitals/examples/pair/database"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRebuild(t *testing.T) {
	good := []database.Row{{Tag: "a", Unit: "bar"}, {Tag: "b", Unit: "m"}}
	for _, c := range []struct {
		name   string
		rows   []database.Row
		err    error
		items  map[string]Item
		failed []Failure
	}{
		{name: "all is well", rows: good[:1], items: map[string]Item{"a": {"bar", 3}}},
		{name: "nothing is configured", items: map[string]Item{}},
		{
			name: "the configuration cannot be read", err: errors.New("away"),
			items: map[string]Item{"a": {"bar", 3}, "b": {"m", 0}}, failed: []Failure{FailedRebuild},
		},
		{
			name: "two items cannot be made, one pass fails", rows: []database.Row{{Tag: "a", Unit: "bar"}, {Tag: ""}, {Tag: "x y"}},
			items: map[string]Item{"a": {"bar", 3}}, failed: []Failure{FailedNodes},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			var failed []Failure
			rows, failing := good, error(nil)
			s := &Space{
				Config: func(context.Context) ([]database.Row, error) { return rows, failing },
				Failed: func(f Failure) { failed = append(failed, f) },
				Log:    slog.New(slog.NewTextHandler(&log, nil)),
			}
			if err := s.Rebuild(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.Set("a", 3)
			rows, failing = c.rows, c.err
			err := s.Rebuild(t.Context())
			if (err != nil) != (len(c.failed) > 0) || (c.err != nil && !errors.Is(err, c.err)) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(c.items, s.Items()); diff != "" {
				t.Errorf("items -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.failed, failed); diff != "" {
				t.Errorf("counted -want +got:\n%s", diff)
			}
			if got := strings.Count(log.String(), "level=ERROR"); got != len(c.failed) {
				t.Errorf("%d errors in the log, want %d:\n%s", got, len(c.failed), &log)
			}
		})
	}
}

func TestValuesOutliveTheirItems(t *testing.T) {
	rows := []database.Row{}
	s := &Space{Config: func(context.Context) ([]database.Row, error) { return rows, nil }}
	s.Set("a", 1)
	if got := s.Items(); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	rows = []database.Row{{Tag: "a"}}
	if err := s.Rebuild(t.Context()); err != nil || s.Items()["a"].Value != 1 {
		t.Errorf("%v, %v: want the value from before", err, s.Items())
	}
}
