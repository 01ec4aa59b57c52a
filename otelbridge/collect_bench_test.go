package otelbridge_test

import (
	"fmt"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
)

// BenchmarkCollect is one collection by the SDK: with the bridge, nearly all of
// it is the SDK's own.
func BenchmarkCollect(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			loops := board.New()
			for i := range n {
				loops.MustRegister(board.Spec{ID: fmt.Sprintf("%05d", i)}).BeatLag(int64(i))
			}
			reader := sdkmetric.NewManualReader()
			mp := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithCardinalityLimit(4*n))
			bridge, err := otelbridge.New(mp, otelbridge.Sources{Monitors: []*liveness.Monitor{newMonitor(b, loops)}})
			must(b, err)
			defer func() { must(b, bridge.Close()) }()
			var rm metricdata.ResourceMetrics
			for b.Loop() {
				must(b, reader.Collect(b.Context(), &rm))
			}
		})
	}
}
