package otelbridge

import (
	"fmt"
	"sync/atomic"

	"go.opentelemetry.io/otel"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// defaultLimit is how many series the SDK keeps of one instrument by default.
const defaultLimit = 2000

// limit notices what the provider's limit on series hides. A provider folds what
// is past its limit without a word, and has no way to say so.
type limit struct {
	series  int // of one instrument; none if not positive
	dropped whole
	hiding  atomic.Bool // when last told
}

func newLimit(in *instruments, series int) *limit {
	return &limit{series: series, dropped: in.gauge(catalogue.ExportDropped)}
}

// tell comes last in a collection, when everything else was observed.
func (l *limit) tell(o *observer) {
	dropped := l.past(o.series[:])
	o.whole(l.dropped, int64(dropped), labels{})
	if hiding := dropped > 0; l.hiding.Swap(hiding) != hiding && hiding {
		otel.Handle(fmt.Errorf("otelbridge: %d series hidden, the healthiest first: "+
			"the meter provider keeps %d of an instrument; raise its limit, and tell the bridge with WithCardinalityLimit",
			dropped, l.series))
	}
}

// past counts the series beyond the limit. The series into which the provider
// folds them takes one place of the limit.
func (l *limit) past(series []int) (dropped int) {
	if l.series <= 0 {
		return 0
	}
	for _, n := range series {
		dropped += max(0, n-(l.series-1))
	}
	return dropped
}
