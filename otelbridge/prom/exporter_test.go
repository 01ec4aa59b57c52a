package prom

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
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

// gone is a client that went away.
type gone struct{ header http.Header }

func (g gone) Header() http.Header       { return g.header }
func (gone) WriteHeader(int)             {}
func (gone) Write(p []byte) (int, error) { return 0, errors.New("gone") }

// TestRenderStops: nothing is rendered for a client that takes no more, not even
// the rest of a family.
func TestRenderStops(t *testing.T) {
	b := board.New()
	for i := range 2000 {
		b.MustRegister(board.Spec{ID: fmt.Sprint(i)})
	}
	m, err := liveness.NewMonitor(b)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(otelbridge.Sources{Monitors: []*liveness.Monitor{m}})
	if err != nil {
		t.Fatal(err)
	}
	read := e.text.reader.Read()
	p := &page{out: &body{stop: errors.New("gone")}}
	if e.render(p, read); len(p.dst) != 0 {
		t.Errorf("rendered %q", p.dst)
	}
	for _, f := range e.families {
		if f.id != catalogue.ProcessorStatus && f.id != catalogue.ProcessorReason && f.id != catalogue.ProcessorFaults {
			continue
		}
		p := &page{out: &body{w: gone{http.Header{}}}}
		one := &Exporter{families: []*family{f}, text: e.text}
		if one.render(p, read); !p.out.over() || len(p.dst) != 0 {
			t.Errorf("%s: %d bytes rendered after the client went away", f.name, len(p.dst))
		}
	}
}
