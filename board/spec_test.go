package board_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

func TestRegisterRefuses(t *testing.T) {
	longest := strings.Repeat("x", board.MaxIDBytes)
	table := []struct {
		name string
		spec board.Spec
		want error
	}{
		{"plain", board.Spec{ID: "orders"}, nil},
		{"letters of any script", board.Spec{ID: "заказы 注文 {\"a\"} <b>"}, nil},
		{"200 bytes", board.Spec{ID: longest}, nil},
		{"empty", board.Spec{}, board.ErrNoID},
		{"201 bytes", board.Spec{ID: longest + "x"}, board.ErrInvalidID},
		{"one MiB", board.Spec{ID: strings.Repeat("x", 1<<20)}, board.ErrInvalidID},
		{"invalid UTF-8", board.Spec{ID: "a\xff"}, board.ErrInvalidID},
		{"line feed", board.Spec{ID: "a\nb"}, board.ErrInvalidID},
		{"NUL", board.Spec{ID: "a\x00"}, board.ErrInvalidID},
		{"right-to-left override", board.Spec{ID: "a\u202eb"}, board.ErrInvalidID},
		{"zero-width space", board.Spec{ID: "a\u200bb"}, board.ErrInvalidID},
		{"line separator", board.Spec{ID: "a\u2028b"}, board.ErrInvalidID},
		{"a rebuild in disguise", board.Spec{ID: "orders::rebuild::2"}, board.ErrInvalidID},
		{"rebuild", board.Spec{ID: "orders", Rebuild: "2"}, nil},
		{"rebuild with colons", board.Spec{ID: "orders", Rebuild: "a::b"}, board.ErrInvalidID},
		{"rebuild with a tab", board.Spec{ID: "orders", Rebuild: "a\tb"}, board.ErrInvalidID},
		{"rebuild key of 200 bytes", board.Spec{ID: longest[:188], Rebuild: "2"}, nil},
		{"rebuild key of 201 bytes", board.Spec{ID: longest[:189], Rebuild: "2"}, board.ErrInvalidID},
		{"interval of a nanosecond", board.Spec{ID: "orders", Interval: 1}, nil},
		{"negative interval", board.Spec{ID: "orders", Interval: -1}, board.ErrInvalidInterval},
		{"longest interval", board.Spec{ID: "orders", Interval: math.MaxInt64 / 5}, nil},
		{"overflowing interval", board.Spec{ID: "orders", Interval: math.MaxInt64/5 + 1}, board.ErrInvalidInterval},
	}
	for _, row := range table {
		b, _ := newBoard()
		before := register(t, b, "before")
		before.Beat()
		r, err := b.Register(row.spec)
		if !errors.Is(err, row.want) || (r == nil) != (row.want != nil) {
			t.Errorf("%s: %v, want %v", row.name, err, row.want)
		}
		refused := uint64(0)
		if row.want != nil {
			refused = 1
		}
		if n := b.Events().RefusedRegistrations; n != refused {
			t.Errorf("%s: %d refusals counted, want %d", row.name, n, refused)
		}
		if o := observe(t, b, "before"); o.State != board.Running {
			t.Errorf("%s: what was there before is harmed", row.name)
		}
	}
}

// TestErrorsTellFieldValueBound, and never echo an id at length.
func TestErrorsTellFieldValueBound(t *testing.T) {
	b, _ := newBoard()
	for _, row := range []struct {
		spec board.Spec
		want []string
	}{
		{board.Spec{ID: "orders", Interval: -time.Second}, []string{"interval", "-1s", `"orders"`, "0 to"}},
		{board.Spec{ID: strings.Repeat("x", 500)}, []string{"id", "500 bytes", "1 to 200"}},
		{board.Spec{ID: "a\nb"}, []string{"id", `"a\nb"`, "U+000A"}},
	} {
		_, err := b.Register(row.spec)
		for _, part := range row.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not tell %q", err, part)
			}
		}
		if len(err.Error()) > 300 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	}
}

func TestDuplicateAndFull(t *testing.T) {
	b, _ := newBoard(board.WithMaxProcessors(2))
	first := register(t, b, "orders")
	if _, err := b.Register(board.Spec{ID: "orders"}); !errors.Is(err, board.ErrDuplicate) {
		t.Errorf("a live id again: %v", err)
	}
	register(t, b, "billing")
	_, err := b.Register(board.Spec{ID: "third"})
	if !errors.Is(err, board.ErrFull) || !strings.Contains(err.Error(), "maximum is 2") {
		t.Errorf("one more than the maximum: %v", err)
	}
	first.Beat()
	first.Close()
	if _, err := b.Register(board.Spec{ID: "third"}); err != nil {
		t.Errorf("after a Close: %v", err)
	}
	if b.Len() != 2 {
		t.Errorf("Len %d, want 2", b.Len())
	}
	defer func() {
		if recover() == nil {
			t.Error("MustRegister does not panic")
		}
	}()
	b.MustRegister(board.Spec{ID: "fourth"})
}

func TestSpecIsShown(t *testing.T) {
	b, _ := newBoard(board.WithName("search"))
	d := board.Details{Description: "stores orders", Owner: "team", Runbook: "https://example.com/orders"}
	r := b.MustRegister(board.Spec{ID: "orders", Rebuild: "7", Interval: time.Minute, Details: d})
	o := observe(t, b, "orders::rebuild::7")
	if r.Key() != o.Key || !o.Rebuild || o.Interval != time.Minute || o.Details == nil || *o.Details != d || b.Name() != "search" {
		t.Errorf("%+v", o)
	}
	r.Restart()
	if again := observe(t, b, "orders::rebuild::7"); !again.Rebuild || again.Interval != time.Minute || again.Details != o.Details {
		t.Errorf("after Restart: %+v", again)
	}
}
