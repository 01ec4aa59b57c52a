package bench

import (
	"math/rand/v2"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/loopvitals/loopvitals/bench/rival"
	"github.com/loopvitals/loopvitals/board"
)

// telemetryGates hold a report against what a loop does that keeps the same two
// facts, its last turn and its lag, in the gauges of a metrics library. Those
// are not judged, and their garbage is not held against them.
func telemetryGates() []Gate {
	return []Gate{
		{ID: "P6", Name: "otel Record x2/beatlag, hot", Bound: 8, Min: true, Measure: telemetry(otelHot, exactHot)},
		{ID: "P6", Name: "otel Record x2/beatlag, over 10k", Bound: 15, Min: true, Measure: func(s Settings) (Figure, error) {
			if s.Burst == 0 {
				s.Burst = 12 * time.Millisecond // Either side goes round more than once.
			}
			return telemetry(otelCycling, exactCycling)(s)
		}},
		{ID: "P7", Name: "otel Record x2/coarse beatlag", Bound: 40, Min: true, Measure: func(s Settings) (Figure, error) {
			b, stop := coarseBoard()
			defer stop()
			return telemetry(otelHot, func() Burst { return lags(register(b, reporting)[hot]) })(s)
		}},
		{ID: "P8", Name: "prometheus GaugeVec x2/beatlag", Bound: 3.5, Min: true, Measure: telemetry(vecsHot, exactHot)},
		{ID: "P9", Name: "prometheus gauges x2/beatlag", Bound: 1.3, Min: true, Measure: telemetry(gaugesHot, exactHot)},
	}
}

// Either side has so many processors that reported, and a hot form reports for
// one of them over and over.
const reporting, hot = 10_000, 5_000

func telemetry(subject func() (Burst, error), baseline func() Burst) func(Settings) (Figure, error) {
	return func(s Settings) (Figure, error) {
		theirs, err := subject()
		if err != nil {
			return Figure{}, err
		}
		return Compare(s, theirs, baseline()), nil
	}
}

func exactHot() Burst { return lags(register(board.New(), reporting)[hot]) }

func exactCycling() Burst {
	rs, next := register(board.New(), reporting), 0
	shuffle(rs)
	return func(n int) {
		for i := range n {
			rs[next].BeatLag(int64(i))
			if next++; next == len(rs) {
				next = 0
			}
		}
	}
}

// shuffle puts reporters into an order in which no prefetcher finds the next:
// loops do not report in the order in which they were registered.
func shuffle[T any](list []T) {
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

func otelReporters() ([]rival.OTelReporter, error) {
	gauges, err := rival.NewOTelGauges(reporting, sdkmetric.NewManualReader())
	if err != nil {
		return nil, err
	}
	rs := make([]rival.OTelReporter, reporting)
	for i := range rs {
		rs[i] = gauges.Reporter(id(i))
		rs[i].BeatLag(int64(i % 7))
	}
	return rs, nil
}

func otelHot() (Burst, error) {
	rs, err := otelReporters()
	if err != nil {
		return nil, err
	}
	r := rs[hot]
	return func(n int) {
		for i := range n {
			r.BeatLag(int64(i))
		}
	}, nil
}

func otelCycling() (Burst, error) {
	rs, err := otelReporters()
	if err != nil {
		return nil, err
	}
	next := 0
	shuffle(rs)
	return func(n int) {
		for i := range n {
			rs[next].BeatLag(int64(i))
			if next++; next == len(rs) {
				next = 0
			}
		}
	}, nil
}

func gaugeVecs() (*rival.GaugeVecs, error) {
	vecs, err := rival.NewGaugeVecs(prometheus.NewRegistry())
	if err != nil {
		return nil, err
	}
	for i := range reporting {
		vecs.BeatLag(id(i), int64(i%7))
	}
	return vecs, nil
}

func vecsHot() (Burst, error) {
	vecs, err := gaugeVecs()
	if err != nil {
		return nil, err
	}
	id := id(hot)
	return func(n int) {
		for i := range n {
			vecs.BeatLag(id, int64(i))
		}
	}, nil
}

func gaugesHot() (Burst, error) {
	vecs, err := gaugeVecs()
	if err != nil {
		return nil, err
	}
	gauges := vecs.Gauges(id(hot))
	return func(n int) {
		for i := range n {
			gauges.BeatLag(int64(i))
		}
	}, nil
}
