package prom

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestCloseStopsObserving: a closed Exporter takes no more samples.
func TestCloseStopsObserving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := tiers.New()
		if err := set.AddReady("database", check.Ping(func(context.Context) error { return nil })); err != nil {
			t.Fatal(err)
		}
		var exporters []*Exporter
		for range 2 {
			e, err := New(otelbridge.Sources{Tiers: set})
			if err != nil {
				t.Fatal(err)
			}
			exporters = append(exporters, e)
		}
		if err := exporters[0].Close(); err != nil {
			t.Fatal(err)
		}
		set.Evaluate(t.Context(), tiers.Ready)
		synctest.Wait()
		if closed, open := len(exporters[0].durations.all()), len(exporters[1].durations.all()); closed != 0 || open != 1 {
			t.Errorf("the closed one recorded %d, the open one %d", closed, open)
		}
	})
}

// TestRenderStops: nothing is rendered for a client that takes no more.
func TestRenderStops(t *testing.T) {
	m, err := liveness.NewMonitor(board.New())
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(otelbridge.Sources{Monitors: []*liveness.Monitor{m}})
	if err != nil {
		t.Fatal(err)
	}
	p := &page{out: &body{stop: errors.New("gone")}}
	if e.render(p, e.text.reader.Read()); len(p.dst) != 0 {
		t.Errorf("rendered %q", p.dst)
	}
}
