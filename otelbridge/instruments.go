package otelbridge

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// The two types of values in the catalogue: states, counters and gauges are
// whole numbers.
type (
	whole struct {
		metric.Int64Observable
		id catalogue.ID
	}
	seconds struct {
		metric.Float64Observable
		id catalogue.ID
	}
)

// instruments creates instruments and keeps what goes wrong.
type instruments struct {
	meter       metric.Meter
	prefix      string
	observables []metric.Observable
	errs        []error
}

func (in *instruments) state(id catalogue.ID) whole {
	m := id.Metric()
	i, err := in.meter.Int64ObservableUpDownCounter(in.prefix+m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.Help))
	in.made(m.Name, i, err)
	return whole{i, id}
}

func (in *instruments) counter(id catalogue.ID) whole {
	m := id.Metric()
	i, err := in.meter.Int64ObservableCounter(in.prefix+m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.Help))
	in.made(m.Name, i, err)
	return whole{i, id}
}

func (in *instruments) gauge(id catalogue.ID) whole {
	m := id.Metric()
	i, err := in.meter.Int64ObservableGauge(in.prefix+m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.Help))
	in.made(m.Name, i, err)
	return whole{i, id}
}

func (in *instruments) seconds(id catalogue.ID) seconds {
	m := id.Metric()
	i, err := in.meter.Float64ObservableGauge(in.prefix+m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.Help))
	in.made(m.Name, i, err)
	return seconds{i, id}
}

// histogram is the one synchronous instrument.
func (in *instruments) histogram(id catalogue.ID, bounds []float64) metric.Float64Histogram {
	m := id.Metric()
	i, err := in.meter.Float64Histogram(in.prefix+m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.Help),
		metric.WithExplicitBucketBoundaries(bounds...))
	in.failed(m.Name, err)
	return i
}

func (in *instruments) made(name string, i metric.Observable, err error) {
	in.observables = append(in.observables, i)
	in.failed(name, err)
}

func (in *instruments) failed(name string, err error) {
	if err != nil {
		in.errs = append(in.errs, fmt.Errorf("otelbridge: instrument %q: %w", in.prefix+name, err))
	}
}

func (in *instruments) err() error { return errors.Join(in.errs...) }

// labels is one attribute set in the form in which it is observed, made once
// and used at every collection.
type labels []metric.ObserveOption

func newLabels(attributes ...attribute.KeyValue) labels {
	return labels{metric.WithAttributeSet(attribute.NewSet(attributes...))}
}
