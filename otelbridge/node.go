package otelbridge

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// seriesLabels are the attributes of one series of a redundancy.Node.
func seriesLabels(s reading.SeriesID) labels {
	var attributes []attribute.KeyValue
	for i, key := range s.ID.Metric().Keys {
		attributes = append(attributes, attribute.String(key, s.Values[i]))
	}
	return newLabels(attributes...)
}

// tellNode tells the state of a redundancy.Node, series by series.
func tellNode(o *observer, n *numbers, all []reading.Series[labels]) {
	for i := range all {
		n.tell(o, all[i].ID, all[i].N, all[i].Prepared)
	}
}
