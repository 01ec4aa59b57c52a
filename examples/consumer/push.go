package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

// lastPush is how long the last push at the program's end may take.
const lastPush = 2 * time.Second

// newPusher sends the metrics to an OTLP receiver over HTTP, such as
// http://127.0.0.1:9090/api/v1/otlp/v1/metrics of Prometheus. How often and
// under which name is told to the SDK in its own environment variables:
// OTEL_METRIC_EXPORT_INTERVAL, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES. A
// receiver that is away or hangs costs the samples of that time, and nothing
// else.
func newPusher(ctx context.Context, endpoint string) (sdkmetric.Reader, error) {
	if u, err := url.Parse(endpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("otlp %q: must be a URL, such as http://127.0.0.1:9090/api/v1/otlp/v1/metrics", endpoint)
	}
	exporter, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(endpoint))
	if err != nil {
		return nil, err
	}
	return sdkmetric.NewPeriodicReader(exporter), nil
}
