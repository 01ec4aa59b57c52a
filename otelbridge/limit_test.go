package otelbridge_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/tiers"
)

const droppedSeries = "liveness.export.dropped_series"

// handled collects what OpenTelemetry's error handler is told.
type handled struct {
	mu   sync.Mutex
	errs []string
}

func (h *handled) Handle(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.errs = append(h.errs, err.Error())
}

// take returns what was told since it was last called.
func (h *handled) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer func() { h.errs = nil }()
	return h.errs
}

func handleErrors(t *testing.T) *handled {
	h := &handled{}
	before := otel.GetErrorHandler()
	otel.SetErrorHandler(h)
	t.Cleanup(func() { otel.SetErrorHandler(before) })
	return h
}

// TestDroppedSeriesIsWhatTheSDKHides compares the number that is told with the
// series that are missing from the real SDK under the same limit, around each
// instrument's bound, in the processors, the checks, the durations, the node
// and the guards.
func TestDroppedSeriesIsWhatTheSDKHides(t *testing.T) {
	const processors, checks, guards = 9, 5, 11
	for _, limit := range []int{-1, 0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 14, 15, 16, 26, 27, 28, 29, 2000} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handleErrors(t)
				b, set := board.New(), tiers.New()
				for i := range processors {
					b.MustRegister(board.Spec{ID: fmt.Sprint(i)}).BeatLag(int64(i))
				}
				for i := range checks {
					must(t, set.AddReady(fmt.Sprint(i), check.Ping(func(context.Context) error {
						if i == 0 {
							return errors.New("gone")
						}
						return nil
					}), tiers.WithTags(tiers.TagActive)))
				}
				node := newWarm(t, redundancy.Config{})
				src := otelbridge.Sources{Monitors: monitors(t, b), Tiers: set, Redundancy: node.Node}
				for i := range guards {
					g := newGuard(t, fmt.Sprint(i))
					if i > 0 { // the first one has no age
						begin(t, g)
					}
					src.Guards = append(src.Guards, g)
				}
				limited := newRigOf(t, src, []sdkmetric.Option{sdkmetric.WithCardinalityLimit(limit)}, otelbridge.WithCardinalityLimit(limit))
				whole := newRigOf(t, src, []sdkmetric.Option{sdkmetric.WithCardinalityLimit(0)}, otelbridge.WithCardinalityLimit(0))
				evaluate(t, set, tiers.Ready)
				time.Sleep(time.Minute)
				evaluate(t, set, tiers.Ready) // The same outcomes are the same series.

				all, kept := whole.collect(t), limited.collect(t)
				all.want(t, droppedSeries, 0)
				told := kept[droppedSeries]
				if _, folded := kept[droppedSeries+"{otel.metric.overflow=true}"]; folded {
					told = kept[droppedSeries+"{otel.metric.overflow=true}"] // A limit of 1 folds this one, too.
				}
				hidden := slices.DeleteFunc(slices.Collect(maps.Keys(all)), func(series string) bool {
					_, shown := kept[series]
					return shown || series == droppedSeries // which is told before it can be counted
				})
				if int(told) != len(hidden) {
					t.Errorf("told of %v series, the SDK hides %d: %v", told, len(hidden), hidden)
				}
			})
		})
	}
}

// TestHidingIsSaidWhenItBegins: one line, and another only after all were shown.
func TestHidingIsSaidWhenItBegins(t *testing.T) {
	said := handleErrors(t)
	b := board.New()
	register := func(n int) { b.MustRegister(board.Spec{ID: fmt.Sprint(n)}) }
	for n := range 666 {
		register(n)
	}
	r := newRig(t, otelbridge.Sources{Monitors: monitors(t, b)})
	for _, step := range []struct {
		name    string
		do      func()
		dropped float64
		lines   int
	}{
		{"the last that fits", func() {}, 0, 0}, // 3 x 666 = 1998 of 1999
		{"one more", func() { register(666) }, 2, 1},
		{"and one more", func() { register(667) }, 5, 0},
		{"all shown", func() { b.Remove("666"); b.Remove("667") }, 0, 0},
		{"hidden again", func() { register(666) }, 2, 1},
	} {
		step.do()
		r.collect(t).want(t, droppedSeries, step.dropped)
		r.collect(t)
		lines := said.take()
		if len(lines) != step.lines {
			t.Errorf("%s: %d lines, want %d: %v", step.name, len(lines), step.lines, lines)
		}
		for _, line := range lines {
			if !strings.HasPrefix(line, fmt.Sprintf("otelbridge: %v series hidden", step.dropped)) ||
				!strings.Contains(line, "keeps 2000") || !strings.Contains(line, "WithCardinalityLimit") {
				t.Errorf("%s: %q", step.name, line)
			}
		}
	}
}
