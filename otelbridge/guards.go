package otelbridge

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// guardLabels are the attributes of all series of one resubscribe.Guard.
func guardLabels(key string) labels {
	return newLabels(attribute.String(catalogue.KeyGuard, key))
}

// tellGuards tells the state of each resubscribe.Guard.
func tellGuards(o *observer, n *numbers, guards []reading.Guard[labels]) {
	for i := range guards {
		g := &guards[i]
		for id := range catalogue.Count {
			if value, known := g.Value(id); known {
				n.tell(o, id, value, g.Prepared)
			}
		}
	}
}
