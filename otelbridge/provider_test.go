package otelbridge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/tiers"
)

// blockingExporter pushes to a collector that does not answer.
type blockingExporter struct {
	sdkmetric.Exporter
	exporting, release chan struct{}
}

func (e blockingExporter) Export(context.Context, *metricdata.ResourceMetrics) error {
	e.exporting <- struct{}{}
	<-e.release
	return nil
}

func (blockingExporter) Shutdown(context.Context) error { return nil }

func (blockingExporter) Temporality(k sdkmetric.InstrumentKind) metricdata.Temporality {
	return sdkmetric.DefaultTemporalitySelector(k)
}

func (blockingExporter) Aggregation(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(k)
}

// TestBlockedExporter: while one exporter hangs, loops beat, probes are
// answered, verdicts are given, another reader collects, and the bridge closes,
// all in no time (fault 55).
func TestBlockedExporter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := blockingExporter{exporting: make(chan struct{}, 100), release: make(chan struct{})}
		src, beat := watched(t)
		pushed := sdkmetric.WithReader(sdkmetric.NewPeriodicReader(e, sdkmetric.WithInterval(time.Second)))
		r := newRigOf(t, src, []sdkmetric.Option{pushed})
		evaluate(t, src.Tiers, tiers.Ready)
		<-e.exporting

		before := time.Now()
		beat()
		evaluate(t, src.Tiers, tiers.Ready)
		r.collect(t).want(t, "liveness.processor.heartbeats{processor=p}", 2)
		r.gather(t).want(t, "liveness_processor_heartbeats_total{processor=p}", 2)
		must(t, r.bridge.Close())
		if took := time.Since(before); took != 0 {
			t.Errorf("a blocked exporter held something up for %v", took)
		}
		close(e.release)
	})
}

// watched is one processor that has beaten once, and a tier that asks for it.
func watched(t *testing.T) (src otelbridge.Sources, beat func()) {
	t.Helper()
	b := board.New()
	loop := b.MustRegister(board.Spec{ID: "p"})
	loop.Beat()
	m := newMonitor(t, b)
	set := tiers.New()
	must(t, set.AddReady("processors", m))
	return otelbridge.Sources{Monitors: []*liveness.Monitor{m}, Tiers: set}, loop.Beat
}

// hostileProvider keeps the bridge's callback, and misbehaves in a histogram.
type hostileProvider struct {
	noop.MeterProvider
	meter *hostileMeter
}

func (p hostileProvider) Meter(string, ...metric.MeterOption) metric.Meter { return p.meter }

type hostileMeter struct {
	noop.Meter
	callback metric.Callback
	act      func()
	refuse   error
}

func (m *hostileMeter) RegisterCallback(f metric.Callback, _ ...metric.Observable) (metric.Registration, error) {
	m.callback = f
	return noop.Registration{}, m.refuse
}

func (m *hostileMeter) Float64Histogram(string, ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return hostileHistogram{act: m.act}, m.refuse
}

type hostileHistogram struct {
	noop.Float64Histogram
	act func()
}

func (h hostileHistogram) Record(context.Context, float64, ...metric.RecordOption) { h.act() }

type hostileObserver struct {
	noop.Observer
	act func()
}

func (o hostileObserver) ObserveInt64(metric.Int64Observable, int64, ...metric.ObserveOption) {
	o.act()
}

// TestHostileProvider: a provider that blocks or panics, in the middle of a
// collection and in a recording, harms neither loops nor probes nor the process.
func TestHostileProvider(t *testing.T) {
	release := make(chan struct{})
	acts := map[string]func(){
		"blocks":         func() { <-release },
		"panics":         func() { panic("out of order") },
		"panics, an err": func() { panic(errors.New("out of order")) },
	}
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release = make(chan struct{})
				src, beat := watched(t)
				meter := &hostileMeter{act: act}
				bridge, err := otelbridge.New(hostileProvider{meter: meter}, src)
				must(t, err)
				collected := make(chan error, 1)
				go func() { collected <- meter.callback(t.Context(), hostileObserver{act: act}) }()
				synctest.Wait()

				before := time.Now()
				for range 5 {
					beat()
					if report := src.Tiers.Evaluate(t.Context(), tiers.Ready); report.Status != check.Healthy {
						t.Errorf("ready is %v", report.Status)
					}
				}
				must(t, meter.callback(t.Context(), noop.Observer{}), bridge.Close())
				if took := time.Since(before); took != 0 {
					t.Errorf("a provider that %s held something up for %v", name, took)
				}
				close(release)
				err = <-collected
				if panics := name != "blocks"; panics != (err != nil) || panics && !strings.Contains(err.Error(), "out of order") {
					t.Errorf("collection: error %v", err)
				}
			})
		})
	}
}

// TestProviderThatRefuses: New tells of each instrument that could not be made.
func TestProviderThatRefuses(t *testing.T) {
	refuse := errors.New("no more instruments")
	src, _ := watched(t)
	_, err := otelbridge.New(hostileProvider{meter: &hostileMeter{refuse: refuse}}, src, otelbridge.WithNamePrefix("a."))
	if !errors.Is(err, refuse) || !strings.Contains(err.Error(), `otelbridge: instrument "a.health.check.duration": `) {
		t.Errorf("error %v", err)
	}
	_, err = otelbridge.New(hostileProvider{meter: &hostileMeter{refuse: refuse}}, otelbridge.Sources{Monitors: src.Monitors})
	if !errors.Is(err, refuse) || !strings.Contains(err.Error(), "otelbridge: register callback: ") {
		t.Errorf("error %v", err)
	}
}

// TestAttributesArePrepared: a collection of a board on which nothing came, went
// or changed its reason allocates nothing for a processor. What the SDK
// allocates beside is its own.
func TestAttributesArePrepared(t *testing.T) {
	allocated := func(processors int) float64 {
		b := board.New()
		for i := range processors {
			b.MustRegister(board.Spec{ID: fmt.Sprint(i)}).BeatLag(1)
		}
		meter := &hostileMeter{}
		_, err := otelbridge.New(hostileProvider{meter: meter}, otelbridge.Sources{Monitors: []*liveness.Monitor{newMonitor(t, b)}})
		must(t, err)
		ctx := t.Context()
		return testing.AllocsPerRun(100, func() {
			if err := meter.callback(ctx, noop.Observer{}); err != nil {
				t.Error(err)
			}
		})
	}
	few, many := allocated(1), allocated(1000)
	if many-few >= 100 { // what the collector took out of the pools in between
		t.Errorf("a collection of 1 processor allocates %v times, of 1000 %v times", few, many)
	}
}
