package prom_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/prom"
)

// A program with a registry registers the Exporter beside its other collectors.
// A name that is taken is an error.
func ExampleNew_registry() {
	b := board.New()
	b.MustRegister(board.Spec{ID: "orders"}).BeatLag(12)
	loops, err := liveness.NewMonitor(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	exporter, err := prom.New(otelbridge.Sources{Monitors: []*liveness.Monitor{loops}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer exporter.Close()

	registry := prometheus.NewRegistry()
	if err := registry.Register(exporter); err != nil {
		fmt.Println(err)
		return
	}

	families, err := registry.Gather()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range families {
		if f.GetName() == "liveness_processor_lag" {
			m := f.GetMetric()[0]
			fmt.Println(f.GetName(), m.GetLabel()[0].GetValue(), m.GetGauge().GetValue())
		}
	}
	// Output: liveness_processor_lag orders 12
}

// A program without a registry, or with very many loops, mounts the Exporter.
func ExampleNew_handler() {
	b := board.New(board.WithName("shop"))
	b.MustRegister(board.Spec{ID: "orders"}).Beat()
	loops, err := liveness.NewMonitor(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	exporter, err := prom.New(otelbridge.Sources{Monitors: []*liveness.Monitor{loops}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer exporter.Close()

	mux := http.NewServeMux()
	mux.Handle("/metrics", exporter)
	server := httptest.NewServer(mux)
	defer server.Close()

	response, err := http.Get(server.URL + "/metrics")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "liveness_processor_status") {
			fmt.Print(line)
		}
	}
	// Output:
	// # HELP liveness_processor_status 1 for the status of the processor, 0 for the others.
	// # TYPE liveness_processor_status gauge
	// liveness_processor_status{board="shop",processor="orders",status="degraded"} 0
	// liveness_processor_status{board="shop",processor="orders",status="healthy"} 1
	// liveness_processor_status{board="shop",processor="orders",status="unhealthy"} 0
}

// A warm node shows its service level, its role and what its gate denied. This one
// works alone, so it is the primary.
func ExampleNew_redundancy() {
	node, err := redundancy.New(redundancy.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	exporter, err := prom.New(otelbridge.Sources{Redundancy: node}, prom.WithNamePrefix("otopcua."))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer exporter.Close()

	response := httptest.NewRecorder()
	exporter.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(response.Body.String()) {
		if strings.HasPrefix(line, "otopcua_redundancy_role{") {
			fmt.Print(line)
		}
	}
	// Output:
	// otopcua_redundancy_role{role="detached"} 0
	// otopcua_redundancy_role{role="primary"} 1
	// otopcua_redundancy_role{role="secondary"} 0
	// otopcua_redundancy_role{role="unknown"} 0
}

// A guard shows whether a request is out, for how long, and how many had no answer.
// Each has the key of its configuration.
func ExampleNew_guards() {
	gateway, err := resubscribe.New(resubscribe.Config{Key: "gateway-a"})
	if err != nil {
		fmt.Println(err)
		return
	}
	exporter, err := prom.New(otelbridge.Sources{Guards: []*resubscribe.Guard{gateway}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer exporter.Close()

	gateway.Begin()
	response := httptest.NewRecorder()
	exporter.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(response.Body.String()) {
		if strings.HasPrefix(line, "resubscribe_") && !strings.Contains(line, "seconds") {
			fmt.Print(line)
		}
	}
	// Output:
	// resubscribe_in_flight{guard="gateway-a"} 1
	// resubscribe_presumed_lost_total{guard="gateway-a"} 0
	// resubscribe_sends_total{guard="gateway-a"} 1
}
