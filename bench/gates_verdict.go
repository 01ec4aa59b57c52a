package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/bench/rival"
	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
)

// verdictGates hold the judging of all processors against a plain read of as
// much memory, and against the evaluation of a map of records.
func verdictGates() []Gate {
	return []Gate{
		{ID: "P14", Name: "verdicts of 10k/plain read", Bound: 3, NoAllocs: true, Measure: verdictsAndRead(10_000)},
		{ID: "P14", Name: "verdicts of 100k/plain read", Bound: 3, NoAllocs: true, Measure: verdictsAndRead(100_000)},
		{ID: "P15", Name: "dictionary's evaluation/ours, 10k", Bound: 20, Min: true, Measure: evaluations},
	}
}

func verdictsAndRead(processors int) func(Settings) (Figure, error) {
	return func(s Settings) (Figure, error) {
		m, err := healthyMonitor(processors)
		if err != nil {
			return Figure{}, err
		}
		verdicts := m.Append(nil)
		slots := rival.NewSlots(processors)
		judge := func(n int) {
			for range n {
				verdicts = m.Append(verdicts[:0])
			}
		}
		f := Compare(s, judge, func(n int) {
			for range n {
				readSum += slots.Read()
			}
		})
		f.Allocs = testing.AllocsPerRun(10, func() { judge(1) })
		return f, nil
	}
}

// healthyMonitor judges n processors that all reported, and by a bound that
// outlasts the measurement: a text for each stale one is not what is measured.
func healthyMonitor(n int) (*liveness.Monitor, error) {
	b := board.New()
	register(b, n)
	return liveness.NewMonitor(b, liveness.WithPolicy(liveness.Policy{StaleAfter: time.Hour}))
}

// evaluations compares what a health check does with either: the aggregate of
// all processors, as the answer to one probe.
func evaluations(s Settings) (Figure, error) {
	const processors = 10_000
	m, err := healthyMonitor(processors)
	if err != nil {
		return Figure{}, err
	}
	d := rival.NewXSync()
	now := time.Now()
	for i, id := range ids(processors) {
		d.Report(id, false, int64(i%7), false, now)
	}
	ctx := context.Background()
	if got := m.Check(ctx).Status; got != check.Healthy {
		return Figure{}, fmt.Errorf("bench: monitor of healthy processors: %v", got)
	}
	if got, _ := rival.Evaluate(d, rival.Thresholds{StaleAfter: time.Hour}, now); got != rival.Healthy {
		return Figure{}, fmt.Errorf("bench: dictionary of healthy processors: status %d", got)
	}
	return Compare(s, func(n int) {
		for range n {
			status, texts := rival.Evaluate(d, rival.Thresholds{StaleAfter: time.Hour}, time.Now())
			readSum += uint64(status) + uint64(len(texts))
		}
	}, func(n int) {
		for range n {
			readSum += uint64(m.Check(ctx).Status)
		}
	}), nil
}
