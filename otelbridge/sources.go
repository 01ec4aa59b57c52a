package otelbridge

import (
	"fmt"
	"reflect"

	"go.opentelemetry.io/otel/metric"

	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
	"github.com/loopvitals/loopvitals/tiers"
)

// Sources are what is exported. At least one is required.
type Sources struct {
	// Monitors judge the boards whose processors are exported. With more than
	// one, each board needs a name of its own (board.WithName): it becomes the
	// attribute that tells two processors of one id apart.
	Monitors []*liveness.Monitor
	// Tiers is exported tier by tier and check by check; nil for none. Start
	// its Run, or tiers that nobody probes are exported as unknown.
	Tiers *tiers.Set
	// Redundancy is exported as it is at each collection (S4.41, S4.42); nil for
	// none. Start its Run, or there is no service level.
	Redundancy *redundancy.Node
	// Guards are exported as they are at each collection, each under its key,
	// which no other may have. The slice is not kept.
	Guards []*resubscribe.Guard
}

// read returns what a Reader reads, or why it could not be exported.
func (src Sources) read() (reading.Sources, error) {
	read := reading.Sources(src)
	if err := read.Validate(); err != nil {
		return read, fmt.Errorf("otelbridge: %w", err)
	}
	return read, nil
}

// isNil finds the nil pointer inside an interface, too.
func isNil(mp metric.MeterProvider) bool {
	if mp == nil {
		return true
	}
	v := reflect.ValueOf(mp)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
