package otelbridge_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/prom"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestAlertingSnippets compares the Go of docs/alerting.md with the marked lines
// of this file, which compile and run.
func TestAlertingSnippets(t *testing.T) {
	page, err := os.ReadFile("../docs/alerting.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("alerting_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := pieces(string(page), "(?ms)^```go\n(.*?)^```$")
	marked := pieces(string(code), `(?ms)^\t// alerting\.md:begin\n(.*?)^\t// alerting\.md:end$`)
	for i, piece := range marked {
		marked[i] = strings.ReplaceAll("\n"+piece, "\n\t", "\n")[1:]
	}
	if diff := cmp.Diff(marked, shown); diff != "" {
		t.Errorf("docs/alerting.md (-compiled +shown):\n%s", diff)
	}
}

// pieces returns the first group of every match.
func pieces(text, pattern string) (found []string) {
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}

// TestAlertingSnippetsRun runs the marked lines.
func TestAlertingSnippetsRun(t *testing.T) {
	loops, err := liveness.NewMonitor(board.New())
	if err != nil {
		t.Fatal(err)
	}
	health := tiers.New()
	if err := withProvider(t.Context(), sdkmetric.NewMeterProvider(), loops, health); err != nil {
		t.Error(err)
	}
	if err := withRegistry(prometheus.NewRegistry(), http.NewServeMux(), loops, health); err != nil {
		t.Error(err)
	}
	if err := withLimit(sdkmetric.NewManualReader(), 1000, otelbridge.Sources{Tiers: health}); err != nil {
		t.Error(err)
	}
}

func withProvider(ctx context.Context, provider *sdkmetric.MeterProvider, loops *liveness.Monitor, health *tiers.Set) error {
	// alerting.md:begin
	bridge, err := otelbridge.New(provider, otelbridge.Sources{
		Monitors: []*liveness.Monitor{loops},
		Tiers:    health,
	})
	if err != nil {
		return err
	}
	defer func() { // in this order, or the last push has nothing to say
		provider.Shutdown(context.WithoutCancel(ctx))
		bridge.Close()
	}()
	// alerting.md:end
	return nil
}

func withRegistry(registry *prometheus.Registry, mux *http.ServeMux, loops *liveness.Monitor, health *tiers.Set) error {
	// alerting.md:begin
	exporter, err := prom.New(otelbridge.Sources{
		Monitors: []*liveness.Monitor{loops},
		Tiers:    health,
	})
	if err != nil {
		return err
	}
	defer exporter.Close()
	if err := registry.Register(exporter); err != nil {
		return err
	}
	// alerting.md:end

	// alerting.md:begin
	mux.Handle("GET /metrics", exporter)
	// alerting.md:end
	mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return nil
}

func withLimit(reader sdkmetric.Reader, processors int, sources otelbridge.Sources) error {
	// alerting.md:begin
	limit := 4 * processors
	provider := sdkmetric.NewMeterProvider(
		sdkmetric.WithReader(reader),
		sdkmetric.WithCardinalityLimit(limit),
	)
	bridge, err := otelbridge.New(provider, sources, otelbridge.WithCardinalityLimit(limit))
	// alerting.md:end
	if err != nil {
		return err
	}
	return bridge.Close()
}
