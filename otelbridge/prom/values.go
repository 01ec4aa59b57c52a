package prom

import (
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
	"github.com/loopvitals/loopvitals/tiers"
)

// Every value is a whole number: a count, or nanoseconds where the metric is in
// seconds. So no output can ever hold NaN or an infinity. The second result is
// false where there is no series. at is the calendar time of the reading in
// nanoseconds.
type (
	processorValue func(f *reading.Facts, at int64) (int64, bool)
	boardValue     func(t *reading.Totals, at int64) (int64, bool)
	checkValue     func(c *tiers.CheckState) (int64, bool)
)

// processorValues are the metrics with one series for a processor.
var processorValues = [catalogue.Count]processorValue{
	catalogue.ProcessorHeartbeatAge:       func(f *reading.Facts, _ int64) (int64, bool) { return int64(f.Age), f.Beating },
	catalogue.ProcessorLastHeartbeat:      func(f *reading.Facts, at int64) (int64, bool) { return at - int64(f.Age), f.Beating },
	catalogue.ProcessorStalenessThreshold: func(f *reading.Facts, _ int64) (int64, bool) { return int64(f.Stale), true },
	catalogue.ProcessorBusyAge:            func(f *reading.Facts, _ int64) (int64, bool) { return int64(f.Busy), f.Working },
	catalogue.ProcessorHeartbeats:         func(f *reading.Facts, _ int64) (int64, bool) { return f.Beats, true },
	catalogue.ProcessorLag:                func(f *reading.Facts, _ int64) (int64, bool) { return f.Lag, f.LagKnown },
	catalogue.ProcessorLagThreshold:       func(f *reading.Facts, _ int64) (int64, bool) { return f.LagBound, f.LagBound > 0 },
	catalogue.ProcessorPosition:           func(f *reading.Facts, _ int64) (int64, bool) { return f.Position, f.PositionKnown },
	catalogue.ProcessorFaults:             func(f *reading.Facts, _ int64) (int64, bool) { return f.Faults, true },
	catalogue.ProcessorStarts:             func(f *reading.Facts, _ int64) (int64, bool) { return f.Starts, true },
	catalogue.ProcessorRebuilding:         func(f *reading.Facts, _ int64) (int64, bool) { return holds(f.Rebuild), true },
}

// boardValues are the metrics with one series for a board.
var boardValues = [catalogue.Count]boardValue{
	catalogue.BoardOldestAge:   func(t *reading.Totals, _ int64) (int64, bool) { return int64(t.Oldest), t.Beating },
	catalogue.BoardObserved:    func(_ *reading.Totals, at int64) (int64, bool) { return at, true },
	catalogue.ObserverLateness: func(t *reading.Totals, _ int64) (int64, bool) { return int64(t.Lateness), t.LatenessKnown },
}

// checkValues are the metrics with one series for a check.
var checkValues = [catalogue.Count]checkValue{
	catalogue.CheckHung:    func(c *tiers.CheckState) (int64, bool) { return int64(c.Hung), true },
	catalogue.CheckLastRun: func(c *tiers.CheckState) (int64, bool) { return c.Sampled.UnixNano(), !c.Sampled.IsZero() },
}

// event is one kind of what a board and its monitor count.
type event struct {
	kind  string
	count func(t *reading.Totals) int64
}

// events are in the order of their words, as series are.
var events = [...]event{
	{catalogue.ClampedLag, func(t *reading.Totals) int64 { return t.ClampedLags }},
	{catalogue.DroppedTransition, func(t *reading.Totals) int64 { return t.DroppedTransitions }},
	{catalogue.RefusedRegistration, func(t *reading.Totals) int64 { return t.RefusedRegistrations }},
}

// statuses are the indices of catalogue.StatusWords in the order of the words.
// Processors have the first three.
var statuses = [...]int{int(check.Degraded), int(check.Healthy), int(check.Unhealthy), catalogue.Unknown}

const processorStatuses = 3

// holds is the value of a state.
func holds(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
