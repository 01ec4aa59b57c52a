//go:build linux

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func at250(l look) bool { return l.Level == 250 }

func TestSpans(t *testing.T) {
	of := &life{}
	h := history{
		{Since: 10, Level: 0},
		{Since: 20, Was: 18, Level: 250},
		{Since: 30, Was: 28, Level: 250, Serves: true}, // the same level, another gate
		{Since: 40, Was: 38, Level: 240},
		{Since: 50, Was: 48, Level: 250},
	}
	want := []span{{of, 20, 38}, {of, 50, 60}}
	if diff := cmp.Diff(want, h.spans(of, 60, at250), cmp.AllowUnexported(span{}), cmpopts.IgnoreFields(span{}, "life")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := h.spans(of, 60, func(l look) bool { return l.Level == 100 }); got != nil {
		t.Errorf("got %v", got)
	}
	if diff := cmp.Diff([]int{0, 250, 240, 250}, h.levels()); diff != "" {
		t.Errorf("levels -want +got:\n%s", diff)
	}
}

func TestOverlap(t *testing.T) {
	a, b := &life{}, &life{}
	for _, c := range []struct {
		name string
		all  []span
		want time.Duration
	}{
		{name: "nobody"},
		{name: "one after the other", all: []span{{a, 10, 20}, {b, 21, 30}}},
		{name: "on the same instant", all: []span{{a, 10, 20}, {b, 20, 30}}},
		{name: "one nanosecond", all: []span{{a, 10, 20}, {b, 19, 30}}, want: 1},
		{name: "one within the other", all: []span{{a, 10, 40}, {b, 20, 25}}, want: 5},
		{name: "the longest of several", all: []span{{b, 19, 40}, {a, 10, 20}, {a, 30, 50}}, want: 10},
		{name: "of one life", all: []span{{a, 10, 20}, {a, 15, 30}}},
		{name: "seen once", all: []span{{a, 15, 14}, {b, 10, 30}}},
	} {
		if got, _, _ := overlap(c.all); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestReadHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	text := `{"since":5,"was":0,"level":0,"serves":false,"role":"unknown"}
{"since":9,"was":7,"level":250,"serves":true,"role":"primary"}
{"since":11,"wa`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := history{{Since: 5, Role: "unknown"}, {Since: 9, Was: 7, Level: 250, Serves: true, Role: "primary"}}
	got, err := readHistory(path)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	if err := os.WriteFile(path, []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readHistory(path); err == nil {
		t.Error("read nonsense")
	}
}
