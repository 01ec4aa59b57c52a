package otelbridge

import (
	"time"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// numbers are the instruments of some metrics of which every value is a whole
// number, as it was read: nanoseconds where the metric is in seconds.
type numbers struct {
	wholes  [catalogue.Count]whole
	seconds [catalogue.Count]seconds
}

// newNumbers makes those of the metrics that are chosen.
func newNumbers(in *instruments, chosen func(catalogue.ID) bool) *numbers {
	n := new(numbers)
	for id := range catalogue.Count {
		if !chosen(id) {
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
		case catalogue.Histogram: // has more than one number
		}
	}
	return n
}

// tell tells one series.
func (n *numbers) tell(o *observer, id catalogue.ID, value int64, l labels) {
	if id.Metric().Kind == catalogue.Seconds {
		o.seconds(n.seconds[id], reading.Seconds(time.Duration(value)), l)
		return
	}
	o.whole(n.wholes[id], value, l)
}
