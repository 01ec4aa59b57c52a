package otelbridge_test

import (
	"context"
	"fmt"
	"slices"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
)

// A program gives the bridge the meter provider that it has anyway. Here a
// reader collects by hand; a scrape, or a push, does the same.
func Example() {
	b := board.New()
	orders := b.MustRegister(board.Spec{ID: "orders"})
	b.MustRegister(board.Spec{ID: "billing"})
	loops, err := liveness.NewMonitor(b)
	if err != nil {
		fmt.Println(err)
		return
	}

	reader := sdkmetric.NewManualReader()
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	bridge, err := otelbridge.New(provider, otelbridge.Sources{Monitors: []*liveness.Monitor{loops}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer bridge.Close()

	orders.BeatLag(12)

	var collected metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &collected); err != nil {
		fmt.Println(err)
		return
	}
	var reasons []string
	for _, m := range collected.ScopeMetrics[0].Metrics {
		if m.Name == "liveness.processor.reason" {
			for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
				processor, _ := p.Attributes.Value("processor")
				reason, _ := p.Attributes.Value("reason")
				reasons = append(reasons, processor.AsString()+" "+reason.AsString())
			}
		}
	}
	slices.Sort(reasons)
	for _, r := range reasons {
		fmt.Println(r)
	}
	// Output:
	// billing unreported
	// orders running
}
