package rival

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

// The two gauges that a loop keeps when it reports to a metrics library itself:
// when it went round last, and how far it is behind.
const (
	lastBeatName = "processor_last_heartbeat_timestamp_seconds"
	lagName      = "processor_lag"
	idLabel      = "processor"
)

// unixSeconds is the value of a timestamp gauge, as prometheus.Gauge's
// SetToCurrentTime has it.
func unixSeconds() float64 { return float64(time.Now().UnixNano()) / 1e9 }

// OTelGauges are the two gauges of the OpenTelemetry SDK as it comes, but with a
// limit that folds no processor away.
type OTelGauges struct {
	lastBeat metric.Float64Gauge
	lag      metric.Int64Gauge
}

// NewOTelGauges returns the gauges for so many processors at most, read by
// reader.
func NewOTelGauges(processors int, reader sdkmetric.Reader) (*OTelGauges, error) {
	meter := sdkmetric.NewMeterProvider(
		sdkmetric.WithReader(reader),
		sdkmetric.WithCardinalityLimit(processors+1), // The last place is the overflow's.
	).Meter("rival")
	lastBeat, err := meter.Float64Gauge(lastBeatName)
	if err != nil {
		return nil, fmt.Errorf("rival: gauge: %w", err)
	}
	lag, err := meter.Int64Gauge(lagName)
	if err != nil {
		return nil, fmt.Errorf("rival: gauge: %w", err)
	}
	return &OTelGauges{lastBeat: lastBeat, lag: lag}, nil
}

// OTelReporter reports for one processor with options built once, in a slice
// that is passed as it is.
type OTelReporter struct {
	gauges  *OTelGauges
	options []metric.RecordOption
}

// Reporter returns the reporter of id.
func (g *OTelGauges) Reporter(id string) OTelReporter {
	set := attribute.NewSet(attribute.String(idLabel, id))
	return OTelReporter{gauges: g, options: []metric.RecordOption{metric.WithAttributeSet(set)}}
}

// BeatLag reports a turn of the loop and how far it is behind.
func (r OTelReporter) BeatLag(lag int64) {
	ctx := context.Background()
	r.gauges.lastBeat.Record(ctx, unixSeconds(), r.options...)
	r.gauges.lag.Record(ctx, lag, r.options...)
}

// GaugeVecs are the two gauges of client_golang.
type GaugeVecs struct{ lastBeat, lag *prometheus.GaugeVec }

// NewGaugeVecs returns the gauges, registered with registry.
func NewGaugeVecs(registry prometheus.Registerer) (*GaugeVecs, error) {
	v := &GaugeVecs{
		lastBeat: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: lastBeatName}, []string{idLabel}),
		lag:      prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: lagName}, []string{idLabel}),
	}
	for _, vec := range []*prometheus.GaugeVec{v.lastBeat, v.lag} {
		if err := registry.Register(vec); err != nil {
			return nil, fmt.Errorf("rival: gauge: %w", err)
		}
	}
	return v, nil
}

// BeatLag reports for id, which is looked up in either vector: what a loop does
// that keeps no gauges of its own.
func (v *GaugeVecs) BeatLag(id string, lag int64) {
	v.lastBeat.WithLabelValues(id).SetToCurrentTime()
	v.lag.WithLabelValues(id).Set(float64(lag))
}

// Gauges are one processor's gauges, looked up once.
type Gauges struct{ lastBeat, lag prometheus.Gauge }

// Gauges returns the gauges of id.
func (v *GaugeVecs) Gauges(id string) Gauges {
	return Gauges{lastBeat: v.lastBeat.WithLabelValues(id), lag: v.lag.WithLabelValues(id)}
}

// BeatLag reports a turn of the loop and how far it is behind: two stores and
// the clock.
func (g Gauges) BeatLag(lag int64) {
	g.lastBeat.SetToCurrentTime()
	g.lag.Set(float64(lag))
}
