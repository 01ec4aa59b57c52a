package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

// metrics repeats the verdicts for Prometheus. Scraping runs no check.
type metrics struct {
	provider *sdkmetric.MeterProvider
	bridge   *otelbridge.Bridge
	handler  http.Handler
}

// newMetrics has a registry of its own, so nothing else gets onto /metrics by
// accident. An application that has a meter provider gives the bridge that one.
func newMetrics(h *health) (*metrics, error) {
	registry := prometheus.NewRegistry()
	exporter, err := otelprom.New(otelprom.WithRegisterer(registry), otelprom.WithoutScopeInfo(), otelprom.WithoutTargetInfo())
	if err != nil {
		return nil, err
	}
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter))
	bridge, err := otelbridge.New(provider, otelbridge.Sources{
		Monitors: []*liveness.Monitor{h.monitor},
		Tiers:    h.tiers,
	})
	if err != nil {
		return nil, err
	}
	return &metrics{provider, bridge, promhttp.HandlerFor(registry, promhttp.HandlerOpts{})}, nil
}

func (m *metrics) close() error {
	return errors.Join(m.bridge.Close(), m.provider.Shutdown(context.Background()))
}
