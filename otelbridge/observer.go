package otelbridge

import (
	"go.opentelemetry.io/otel/metric"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// observer tells the provider the values of one collection, and counts what it
// tells: no series comes twice in a collection, so this is how many series each
// instrument has.
type observer struct {
	provider metric.Observer
	series   [catalogue.Count]int
}

func (o *observer) whole(i whole, value int64, l labels) {
	o.series[i.id]++
	o.provider.ObserveInt64(i.Int64Observable, value, l...)
}

func (o *observer) seconds(i seconds, value float64, l labels) {
	o.series[i.id]++
	o.provider.ObserveFloat64(i.Float64Observable, value, l...)
}

// state tells 1 for the state that holds and 0 for the others.
func (o *observer) state(i whole, each []labels, current int) {
	for n, l := range each {
		value := int64(0)
		if n == current {
			value = 1
		}
		o.whole(i, value, l)
	}
}
