package otelbridge

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// The kinds of instruments in the catalogue.
type (
	state   = metric.Int64ObservableUpDownCounter
	counter = metric.Int64ObservableCounter
	gauge   = metric.Int64ObservableGauge
	seconds = metric.Float64ObservableGauge
)

// instruments creates instruments and keeps what goes wrong.
type instruments struct {
	meter       metric.Meter
	prefix      string
	observables []metric.Observable
	errs        []error
}

func (in *instruments) state(id catalogue.ID) state {
	m := id.Metric()
	i, err := in.meter.Int64ObservableUpDownCounter(in.prefix+m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.Help))
	in.made(m.Name, i, err)
	return i
}

func (in *instruments) counter(id catalogue.ID) counter {
	m := id.Metric()
	i, err := in.meter.Int64ObservableCounter(in.prefix+m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.Help))
	in.made(m.Name, i, err)
	return i
}

func (in *instruments) gauge(id catalogue.ID) gauge {
	m := id.Metric()
	i, err := in.meter.Int64ObservableGauge(in.prefix+m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.Help))
	in.made(m.Name, i, err)
	return i
}

func (in *instruments) seconds(id catalogue.ID) seconds {
	m := id.Metric()
	i, err := in.meter.Float64ObservableGauge(in.prefix+m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.Help))
	in.made(m.Name, i, err)
	return i
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

// tellState observes 1 for the state that holds and 0 for the others.
func tellState(o metric.Observer, i state, each []labels, current int) {
	for n, l := range each {
		value := int64(0)
		if n == current {
			value = 1
		}
		o.ObserveInt64(i, value, l...)
	}
}
