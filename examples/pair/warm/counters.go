package warm

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/loopvitals/loopvitals/examples/pair/space"
)

// counters are this service's own figures, on meters of their own beside the one
// of the library. The names are those that the rules of S4.43 and S4.44 use.
type counters struct {
	advises, unconfirmeds, applies metric.Int64Counter
}

const (
	writeMeter = "github.com/loopvitals/loopvitals/examples/pair/warm/write"
	spaceMeter = "github.com/loopvitals/loopvitals/examples/pair/warm/space"
)

// newCounters makes the counters. All are there from the start, with 0: an alert on
// a rate must not miss the first one.
func newCounters(p metric.MeterProvider) (*counters, error) {
	write, applies := p.Meter(writeMeter), p.Meter(spaceMeter)
	c := &counters{}
	for _, counter := range []struct {
		into              *metric.Int64Counter
		meter             metric.Meter
		name, unit, about string
	}{
		{&c.advises, write, "galaxy.writes.advise_failed", "{write}", "Writes that were not issued, since their item could not be advised."},
		{&c.unconfirmeds, write, "galaxy.writes.unconfirmed", "{write}", "Writes reported as good that the device has not confirmed."},
		{&c.applies, applies, "otopcua.opcua.apply.failed", "{apply}", "Passes over the configuration that left a stale or partial address space."},
	} {
		var err error
		if *counter.into, err = counter.meter.Int64Counter(counter.name, metric.WithUnit(counter.unit), metric.WithDescription(counter.about)); err != nil {
			return nil, err
		}
	}
	c.advises.Add(context.Background(), 0)
	c.unconfirmeds.Add(context.Background(), 0)
	for _, kind := range space.Failures() {
		c.applies.Add(context.Background(), 0, metric.WithAttributes(attribute.String("kind", string(kind))))
	}
	return c, nil
}

func (c *counters) adviseFailed() { c.advises.Add(context.Background(), 1) }

func (c *counters) unconfirmed() { c.unconfirmeds.Add(context.Background(), 1) }

func (c *counters) applyFailed(kind space.Failure) {
	c.applies.Add(context.Background(), 1, metric.WithAttributes(attribute.String("kind", string(kind))))
}
