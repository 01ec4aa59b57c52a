// Package otelbridge repeats verdicts as OpenTelemetry metrics.
package otelbridge

import _ "go.opentelemetry.io/otel/metric"
