package warm

import (
	"context"
	"errors"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
)

// metrics repeats the verdicts for Prometheus, and adds the service's own counters.
type metrics struct {
	provider *sdkmetric.MeterProvider
	bridge   *otelbridge.Bridge
	handler  http.Handler
	counters *counters
}

func newMetrics(n *Node) (*metrics, error) {
	registry := prometheus.NewRegistry()
	exporter, err := otelprom.New(otelprom.WithRegisterer(registry), otelprom.WithoutScopeInfo(), otelprom.WithoutTargetInfo())
	if err != nil {
		return nil, err
	}
	m := &metrics{
		provider: sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter)),
		handler:  promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
	}
	if m.bridge, err = otelbridge.New(m.provider, otelbridge.Sources{
		Monitors:   []*liveness.Monitor{n.monitor},
		Tiers:      n.health,
		Redundancy: n.Redundancy,
	}); err != nil {
		return nil, errors.Join(err, m.close())
	}
	if m.counters, err = newCounters(m.provider); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *metrics) close() error {
	err := m.provider.Shutdown(context.Background())
	if m.bridge != nil {
		err = errors.Join(err, m.bridge.Close())
	}
	return err
}
