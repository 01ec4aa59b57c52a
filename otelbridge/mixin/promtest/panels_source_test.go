package promtest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/prom"
	"github.com/loopvitals/loopvitals/tiers"
)

// shop is a program with a processor in every state, on a board with a name and
// one without, with tiers and checks, with a warm standby, and with guards.
type shop struct {
	sources otelbridge.Sources
	turning *board.Reporter // faulted, until the test restarts it
}

// must ends the test when wiring fails.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// open starts the program. It ends with the test.
func open(t *testing.T) *shop {
	t.Helper()
	named, unnamed := board.New(board.WithName("shop")), board.New()
	watched, err := liveness.NewMonitor(named,
		liveness.WithPolicyFor("orders", liveness.Policy{DegradedLag: 100}),
		liveness.WithPolicyFor("billing", liveness.Policy{BusyLimit: time.Hour}),
		liveness.WithPolicyFor("search", liveness.Policy{StaleAfter: time.Second}),
	)
	must(t, err)
	other, err := liveness.NewMonitor(unnamed)
	must(t, err)

	orders := named.MustRegister(board.Spec{ID: "orders", Interval: 20 * time.Millisecond})
	rebuild := named.MustRegister(board.Spec{ID: "orders", Rebuild: "2"})
	crashing := named.MustRegister(board.Spec{ID: "crashing"})
	lonely := unnamed.MustRegister(board.Spec{ID: "lonely"})
	named.MustRegister(board.Spec{ID: "new"})
	named.MustRegister(board.Spec{ID: "billing"}).Busy()
	named.MustRegister(board.Spec{ID: "search", Interval: 100 * time.Millisecond}).Beat()
	named.MustRegister(board.Spec{ID: "idle"}).Idle()
	named.MustRegister(board.Spec{ID: "audit"}).Standby()
	named.MustRegister(board.Spec{ID: "paused"}).Pause()
	named.MustRegister(board.Spec{ID: "stopped"}).Stop()
	named.MustRegister(board.Spec{ID: "mail"}).Fault(errors.New("no such host"))
	turning := named.MustRegister(board.Spec{ID: "turning"})
	turning.Fault(errors.New("no such host"))

	health := tiers.New(tiers.WithRefresh(100 * time.Millisecond))
	ended := make(chan struct{})
	sampling := tiers.WithSampling(check.Sampling{Limit: 50 * time.Millisecond, Every: 100 * time.Millisecond, MaxAge: time.Minute})
	must(t,
		health.AddReady("database", check.Ping(func(context.Context) error { return nil }), sampling),
		health.AddReady("processors", watched),
		health.AddActive("lease", check.Ping(func(context.Context) error { <-ended; return nil }), sampling),
	)

	warm, gateways := newPair(t), newGateways(t)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	for _, run := range []func(context.Context) error{watched.Run, other.Run, health.Run, warm.a.Run, warm.b.Run, warm.work, gateways.work} {
		running.Go(func() { _ = run(ctx) })
	}
	running.Go(func() { work(ctx, orders, rebuild, crashing, lonely) })
	running.Go(func() { refuse(ctx, named, unnamed) })
	t.Cleanup(func() {
		close(ended)
		cancel()
		running.Wait()
	})
	return &shop{otelbridge.Sources{
		Monitors: []*liveness.Monitor{watched, other}, Tiers: health, Redundancy: warm.b, Guards: gateways.all(),
	}, turning}
}

// work goes round until the end: two loops catch up, one crashes each time.
func work(ctx context.Context, orders, rebuild, crashing, lonely *board.Reporter) {
	const behind, step = 1_000_000_000, 1000
	done := int64(0)
	often(ctx, func() {
		done += step
		orders.BeatLag(behind - done)
		orders.SetPosition(done)
		rebuild.BeatLag(behind - done)
		lonely.Beat()
		crashing.Beat()
		crashing.Fault(errors.New("always"))
		crashing = crashing.Restart()
	})
}

// refuse registers on each board what it has to refuse, and to count.
func refuse(ctx context.Context, boards ...*board.Board) {
	often(ctx, func() {
		for _, b := range boards {
			_, _ = b.Register(board.Spec{})
		}
	})
}

// often calls do many times a second until the end.
func often(ctx context.Context, do func()) {
	turn := time.NewTicker(20 * time.Millisecond)
	defer turn.Stop()
	for {
		do()
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
	}
}

// serve answers scrapes in each way in which a program can: through the bridge
// and OpenTelemetry's exporter at /otel, and by package prom at /prom, and with
// a name prefix at /prefixed. It returns its address.
func (s *shop) serve(t *testing.T) string {
	t.Helper()
	registry := prometheus.NewRegistry()
	exporter, err := otelprom.New(otelprom.WithRegisterer(registry)) // with the labels of its scope
	must(t, err)
	s.bridge(t, sdkmetric.WithReader(exporter))
	direct, err := prom.New(s.sources)
	must(t, err)
	prefixed, err := prom.New(s.sources, prom.WithNamePrefix("otopcua."))
	must(t, err)
	t.Cleanup(func() { must(t, direct.Close(), prefixed.Close()) })

	mux := http.NewServeMux()
	mux.Handle("/otel", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.Handle("/prom", direct)
	mux.Handle("/prefixed", prefixed)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// push sends to Prometheus' receiver for OTLP, as the job pushed.
func (s *shop) push(t *testing.T, p *Prometheus) {
	t.Helper()
	exporter, err := otlpmetrichttp.New(t.Context(), otlpmetrichttp.WithEndpointURL(p.URL+"/api/v1/otlp/v1/metrics"))
	must(t, err)
	s.bridge(t,
		sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter, sdkmetric.WithInterval(time.Second))),
		sdkmetric.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "pushed"), attribute.String("service.instance.id", "1"))),
	)
}

// bridge exports by OpenTelemetry until the end of the test.
func (s *shop) bridge(t *testing.T, opts ...sdkmetric.Option) {
	t.Helper()
	provider := sdkmetric.NewMeterProvider(opts...)
	bridge, err := otelbridge.New(provider, s.sources)
	must(t, err)
	t.Cleanup(func() {
		must(t, bridge.Close(), provider.Shutdown(context.WithoutCancel(t.Context())))
	})
}
