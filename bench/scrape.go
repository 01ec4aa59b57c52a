package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/loopvitals/loopvitals/bench/rival"
	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/prom"
)

// exports are the ways in which the same processors get to Prometheus.
type exports struct {
	ours      *prom.Exporter
	constants *rival.Constants // MustNewConstMetric
	otel      http.Handler     // OpenTelemetry's SDK and exporter, behind the bridge

	series int
	close  func() error
}

// newExports exports n processors that reported, all healthy. The calendar is
// for tests; nil is the real one.
func newExports(n int, calendar board.Clock) (*exports, error) {
	b := board.New(board.WithClock(calendar))
	register(b, n)
	m, err := liveness.NewMonitor(b, liveness.WithPolicy(liveness.Policy{StaleAfter: time.Hour}))
	if err != nil {
		return nil, err
	}
	src := otelbridge.Sources{Monitors: []*liveness.Monitor{m}}
	ours, err := prom.New(src, prom.WithClock(calendar))
	if err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	if err := registry.Register(ours); err != nil {
		return nil, err
	}
	gathered, err := registry.Gather()
	if err != nil {
		return nil, err
	}
	constants, err := rival.NewConstants(gathered)
	if err != nil {
		return nil, err
	}
	e := &exports{ours: ours, constants: constants, series: constants.Len()}
	return e, e.bridge(src, 4*n, calendar)
}

// bridge exports through OpenTelemetry, with room for all series.
func (e *exports) bridge(src otelbridge.Sources, limit int, calendar board.Clock) error {
	registry := prometheus.NewRegistry()
	exporter, err := otelprom.New(otelprom.WithRegisterer(registry), otelprom.WithoutScopeInfo(), otelprom.WithoutTargetInfo())
	if err != nil {
		return err
	}
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter), sdkmetric.WithCardinalityLimit(limit))
	bridge, err := otelbridge.New(provider, src, otelbridge.WithCardinalityLimit(limit), otelbridge.WithClock(calendar))
	if err != nil {
		return err
	}
	e.otel = served(registry)
	e.close = func() error { return errors.Join(bridge.Close(), provider.Shutdown(context.Background())) }
	return nil
}

// behindRegistry is a collector as client_golang serves it.
func behindRegistry(c prometheus.Collector) (http.Handler, error) {
	registry := prometheus.NewRegistry()
	return served(registry), registry.Register(c)
}

func served(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

func request() *http.Request {
	return &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}, Header: http.Header{}}
}

// scrapes is a Prometheus that asks for the text format, uncompressed.
func scrapes(h http.Handler) Burst {
	r, w := request(), &response{header: http.Header{}}
	return func(n int) {
		for range n {
			h.ServeHTTP(w, r)
		}
	}
}

// collects is a collector's own part of a scrape: a registry takes its metrics
// through a channel like this one and has each write itself.
func collects(c prometheus.Collector) Burst {
	const room = 1000 // client_golang's
	return func(n int) {
		for range n {
			metrics := make(chan prometheus.Metric, room)
			go func() {
				defer close(metrics)
				c.Collect(metrics)
			}()
			var message dto.Metric
			for m := range metrics {
				message.Reset()
				if err := m.Write(&message); err == nil {
					readSum += uint64(len(message.Label))
				}
			}
		}
	}
}

// sameSeries makes sure that two handlers tell the same metrics and series.
func sameSeries(a, b http.Handler) error {
	ours, theirs := seriesOf(a), seriesOf(b)
	if len(ours) == 0 || !slices.Equal(ours, theirs) {
		return fmt.Errorf("bench: %d series and %d of the rival are not the same", len(ours), len(theirs))
	}
	return nil
}

// seriesOf lists the lines of a scrape in order, without the values.
func seriesOf(h http.Handler) []string {
	var list []string
	for line := range strings.Lines(scrape(h)) {
		if !strings.HasPrefix(line, "#") {
			line = line[:max(0, strings.LastIndexByte(line, ' '))]
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

// scrape returns the text of one scrape.
func scrape(h http.Handler) string {
	w := &response{header: http.Header{}, body: &bytes.Buffer{}}
	h.ServeHTTP(w, request())
	return w.body.String()
}
