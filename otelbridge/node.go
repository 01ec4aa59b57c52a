package otelbridge

import (
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// node exports the state of a redundancy.Node: series by series, as they were
// read.
type node struct {
	wholes  [catalogue.Count]whole
	seconds [catalogue.Count]seconds
}

func newNode(in *instruments) *node {
	n := new(node)
	for id := range catalogue.Count {
		if !id.OfRedundancy() {
			continue
		}
		switch id.Metric().Kind {
		case catalogue.State:
			n.wholes[id] = in.state(id)
		case catalogue.Gauge:
			n.wholes[id] = in.gauge(id)
		case catalogue.Counter:
			n.wholes[id] = in.counter(id)
		case catalogue.Seconds:
			n.seconds[id] = in.seconds(id)
		case catalogue.Histogram: // a node measures none
		}
	}
	return n
}

// seriesLabels are the attributes of one series of a node.
func seriesLabels(s reading.SeriesID) labels {
	var attributes []attribute.KeyValue
	for i, key := range s.ID.Metric().Keys {
		attributes = append(attributes, attribute.String(key, s.Values[i]))
	}
	return newLabels(attributes...)
}

func (n *node) tell(o *observer, p *pass) {
	for i := range p.Redundancy {
		r := &p.Redundancy[i]
		if r.ID.Metric().Kind == catalogue.Seconds {
			o.seconds(n.seconds[r.ID], reading.Seconds(time.Duration(r.N)), r.Prepared)
			continue
		}
		o.whole(n.wholes[r.ID], r.N, r.Prepared)
	}
}
