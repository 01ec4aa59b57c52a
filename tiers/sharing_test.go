package tiers_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestEachChangeShows: a report is made of what the last one said wherever that
// still holds, and of nothing else. Each step changes one field of one check, or the
// time of all, and reports that were given out before stay as they were.
func TestEachChangeShows(t *testing.T) {
	for name, reused := range map[string]func(i int) bool{
		"told in order": func(int) bool { return false },
		// Reused results are known before those that are waited for.
		"told out of order": func(i int) bool { return i%2 == 1 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testEachChangeShows(t, reused) })
		})
	}
}

func testEachChangeShows(t *testing.T, reused func(i int) bool) {
	const checks = 7
	changes := []struct {
		name string
		make func(e *tiers.Entry, step int)
	}{
		{"nothing", func(*tiers.Entry, int) {}},
		{"status", func(e *tiers.Entry, _ int) { e.Status = (e.Status + 1) % 3 }},
		{"description", func(e *tiers.Entry, step int) { e.Description = fmt.Sprint("step ", step) }},
		{"duration", func(e *tiers.Entry, step int) { e.Duration = time.Duration(step) * time.Millisecond }},
		{"time", func(*tiers.Entry, int) { time.Sleep(time.Nanosecond) }},
		{"some data", func(e *tiers.Entry, step int) { e.Data = map[string]any{"step": step} }},
		{"no data", func(e *tiers.Entry, _ int) { e.Data = nil }},
	}
	s := tiers.New()
	want := make([]tiers.Entry, checks)
	for i := range want {
		want[i] = tiers.Entry{Name: fmt.Sprint(i), Status: check.Healthy, Description: "well"}
		sampling := check.Sampling{NoReuse: true}
		if reused(i) {
			sampling = check.Sampling{Reuse: time.Hour, MaxAge: time.Hour}
		}
		must(t, s.AddReady(want[i].Name, check.Func(func(context.Context) check.Result {
			want[i].Sampled = time.Now()
			e := want[i]
			time.Sleep(e.Duration)
			return check.Result{Status: e.Status, Description: e.Description, Data: e.Data}
		}), tiers.WithSampling(sampling)))
	}
	step := 0
	for at := range checks {
		if reused(at) {
			continue
		}
		for _, change := range changes {
			step++
			before, _, _ := s.Last(tiers.Ready)
			then := slices.Clone(before.Entries)
			change.make(&want[at], step)
			got := s.Evaluate(t.Context(), tiers.Ready)
			if diff := cmp.Diff(want, got.Entries); diff != "" {
				t.Errorf("%s of check %d (-want +got):\n%s", change.name, at, diff)
			}
			if diff := cmp.Diff(then, before.Entries); diff != "" {
				t.Errorf("%s of check %d changed the report before (-then +now):\n%s", change.name, at, diff)
			}
		}
	}
}

// TestReusedResultsMakeNoEntries: a storm of probes within the time of reuse
// costs the same few allocations, however many checks there are.
func TestReusedResultsMakeNoEntries(t *testing.T) {
	s := tiers.New()
	for i := range 1000 {
		must(t, s.AddReady(fmt.Sprint(i), check.Ping(func(context.Context) error { return nil }),
			tiers.WithSampling(check.Sampling{Reuse: time.Hour, MaxAge: time.Hour})))
	}
	s.Evaluate(t.Context(), tiers.Ready)
	copies := allocated(func() { s.Last(tiers.Ready) })
	all := allocated(func() { s.Evaluate(t.Context(), tiers.Ready) })
	if extra := all - copies; extra > 2048 {
		t.Errorf("a report of reused results allocates %d bytes beyond its copy", extra)
	}
}

// allocated is how many bytes f allocates, in the middle of many calls.
func allocated(f func()) int64 {
	const calls = 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		f()
	}
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc-before.TotalAlloc) / calls
}
