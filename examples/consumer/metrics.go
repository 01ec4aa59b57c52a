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

// metrics repeats the verdicts for Prometheus, which scrapes them, is pushed
// them, or both. Neither runs a check.
type metrics struct {
	provider *sdkmetric.MeterProvider
	bridge   *otelbridge.Bridge
	handler  http.Handler
}

// newMetrics has a registry of its own, so nothing else gets onto /metrics by
// accident. An application that has a meter provider gives the bridge that one.
// The otlp receiver may be empty: nothing is pushed then.
func newMetrics(ctx context.Context, h *health, otlp string) (*metrics, error) {
	registry := prometheus.NewRegistry()
	exporter, err := otelprom.New(otelprom.WithRegisterer(registry), otelprom.WithoutScopeInfo(), otelprom.WithoutTargetInfo())
	if err != nil {
		return nil, err
	}
	options := []sdkmetric.Option{sdkmetric.WithReader(exporter)}
	if otlp != "" {
		pusher, err := newPusher(ctx, otlp)
		if err != nil {
			return nil, err
		}
		options = append(options, sdkmetric.WithReader(pusher))
	}
	provider := sdkmetric.NewMeterProvider(options...)
	bridge, err := otelbridge.New(provider, otelbridge.Sources{
		Monitors: []*liveness.Monitor{h.monitor},
		Tiers:    h.tiers,
	})
	if err != nil {
		return nil, errors.Join(err, provider.Shutdown(ctx))
	}
	return &metrics{provider, bridge, promhttp.HandlerFor(registry, promhttp.HandlerOpts{})}, nil
}

func (m *metrics) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), lastPush)
	defer cancel()
	// The receiver may be away, which is no failure of this program. The bridge
	// is closed last, so that the last push still has its series.
	_ = m.provider.Shutdown(ctx)
	return m.bridge.Close()
}
