package prom_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/prom"
	"github.com/loopvitals/loopvitals/tiers"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file of testdata: the text is API.
func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		must(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); if that is meant, run go test ./otelbridge/prom -update:\n%s", path, diff)
	}
}

// openMetrics is what a Prometheus asks for.
const openMetrics = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3"

// small is a program in which every row of the catalogue has a value, on a board
// with a name and on one without, for a node of a pair, and for two guards.
func small(t *testing.T) otelbridge.Sources {
	t.Helper()
	shop, plain := board.New(board.WithName(`sh"op`)), board.New()
	orders := shop.MustRegister(board.Spec{ID: "orders"})
	billing := shop.MustRegister(board.Spec{ID: "billing", Interval: 2 * time.Second})
	audit := shop.MustRegister(board.Spec{ID: "audit"})
	rebuild := shop.MustRegister(board.Spec{ID: "orders", Rebuild: "2"})
	other := plain.MustRegister(board.Spec{ID: "orders"})
	plain.MustRegister(board.Spec{ID: `back\slash "quoted"`})
	m := newMonitor(t, shop, liveness.WithPolicyFor("orders", liveness.Policy{StaleAfter: 3 * time.Second, DegradedLag: 100}))

	set := tiers.New()
	must(t,
		set.AddReady("processors", m),
		set.AddReady("database", check.Ping(func(context.Context) error { time.Sleep(20 * time.Millisecond); return nil }),
			tiers.WithTags(tiers.TagActive)),
		set.AddActive("lease", check.Ping(func(context.Context) error { return errors.New("held by another") })),
		set.AddStartup("migrations", check.Ping(func(context.Context) error { return nil })),
	)

	billing.Busy()
	orders.BeatLag(-1)
	orders.BeatLag(250)
	orders.SetPosition(4_711_000_815)
	rebuild.BeatLag(1_000_000)
	audit.Fault(errors.New("no such table"))
	node := newWarm(t, redundancy.Config{Sites: []string{`re"cipe\`}, Levels: redundancy.LevelPolicy{Critical: 9, Stale: 20}})
	node.view.Join("[::1]:4053", "driver")
	waiting, idle := newGuard(t, `gate"way\`), newGuard(t, "b")
	begin(t, waiting)
	idle.Succeed(begin(t, idle))
	time.Sleep(1500 * time.Millisecond)
	rebuild.Beat()
	other.Done()
	return otelbridge.Sources{
		Monitors:   []*liveness.Monitor{m, newMonitor(t, plain)},
		Tiers:      set,
		Redundancy: node.Node,
		Guards:     []*resubscribe.Guard{waiting, idle},
	}
}

// TestThreePathsAreOne: the bridge behind OpenTelemetry's exporter, the Collector
// and the handler tell the same families, help texts, types, labels and values,
// in the same order; and each text is the promised one.
func TestThreePathsAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := small(t)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- src.Monitors[0].Run(ctx) }()
		synctest.Wait()
		r := newRig(t, src)
		evaluate(t, src.Tiers, tiers.Ready)
		evaluate(t, src.Tiers, tiers.Active)
		time.Sleep(1234567)

		text := get(t, r.exporter).Body.String()
		open := get(t, r.exporter, "Accept", openMetrics).Body.String()
		want := canonical(t, exposed(t, r.bridge, expfmt.FmtText))
		for name, got := range map[string]string{
			"collector": exposed(t, r.collector, expfmt.FmtText),
			"handler":   text,
		} {
			if diff := cmp.Diff(want, canonical(t, got)); diff != "" {
				t.Errorf("%s differs from the bridge (-bridge +%s):\n%s", name, name, diff)
			}
		}
		if diff := cmp.Diff(canonical(t, exposed(t, r.collector, expfmt.FmtOpenMetrics_1_0_0)), canonical(t, open)); diff != "" {
			t.Errorf("the handler's OpenMetrics differs from the client library's (-library +handler):\n%s", diff)
		}
		golden(t, "scrape.txt", text)
		golden(t, "scrape.openmetrics", open)

		lint(t, r, text)
		cancel()
		must(t, <-done)
	})
}

// lint has Prometheus' own linter and parser read every path.
func lint(t *testing.T, r *rig, text string) {
	t.Helper()
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	must(t, err)
	gathered, err := r.collector.Gather()
	must(t, err)
	more, err := promlint.NewWithMetricFamilies(gathered).Lint()
	must(t, err)
	for _, p := range append(problems, more...) {
		t.Errorf("promlint: %s: %s", p.Metric, p.Text)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	must(t, err)
	if len(families) != len(gathered) {
		t.Errorf("the text has %d families, the registry %d", len(families), len(gathered))
	}
}

// TestCatalogueIsComplete: both ways tell every metric that the bridge promises.
func TestCatalogueIsComplete(t *testing.T) {
	catalogue, err := os.ReadFile(filepath.Join("..", "testdata", "catalogue.golden"))
	must(t, err)
	_, promised, ok := strings.Cut(string(catalogue), "# Prometheus\n")
	if !ok {
		t.Fatal("the bridge's golden file promises no names for Prometheus")
	}
	text, err := os.ReadFile(filepath.Join("testdata", "scrape.txt"))
	must(t, err)
	for line := range strings.Lines(promised) {
		fields := strings.Fields(line)
		if want := "# TYPE " + fields[0] + " " + fields[1] + "\n"; !strings.Contains(string(text), want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestNamePrefix makes the names that OpenTelemetry's exporter makes, also of
// prefixes that it takes apart.
func TestNamePrefix(t *testing.T) {
	for _, prefix := range []string{
		"", "otopcua.", "a_", "A.b-c/d.", "a..", "a__", "a-.", "x9_", "total.", "a.total_", "seconds.", "ratio.",
		"liveness.", strings.Repeat("a", 199) + ".",
	} {
		t.Run(prefix, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := small(t)
				r := newRigBehind(t, src, prefix)
				evaluate(t, src.Tiers, tiers.Ready)
				want := canonical(t, exposed(t, r.bridge, expfmt.FmtText))
				for name, got := range map[string]string{
					"handler":   get(t, r.exporter).Body.String(),
					"collector": exposed(t, r.collector, expfmt.FmtText),
				} {
					if diff := cmp.Diff(want, canonical(t, got)); diff != "" {
						t.Errorf("%s differs from the bridge (-bridge +%s):\n%s", name, name, diff)
					}
				}
				for _, name := range []string{
					"liveness_processor_faults_total", "redundancy_service_level_change_total", "redundancy_primary_gate_denied_total",
					"resubscribe_presumed_lost_total",
				} {
					if prefix == "otopcua." && !strings.Contains(want, "\notopcua_"+name+"{") {
						t.Errorf("no otopcua_%s", name)
					}
				}
			})
		})
	}
}

// TestNewRefuses names field, value and bound of what cannot be exported.
func TestNewRefuses(t *testing.T) {
	named := func(name string) *board.Board { return board.New(board.WithName(name)) }
	prefix := func(p string) []prom.Option { return []prom.Option{prom.WithNamePrefix(p)} }
	one := monitors(t, board.New())
	for _, c := range []struct {
		name string
		src  otelbridge.Sources
		opts []prom.Option
		want string // empty: accepted
	}{
		{name: "nothing to export", want: "sources empty: must hold a monitor, a tier set, a redundancy node or a guard"},
		{name: "a nil monitor", src: otelbridge.Sources{Monitors: []*liveness.Monitor{nil}}, want: "monitor 0 nil: must not be nil"},
		{name: "two boards without a name", src: monitors(t, board.New(), board.New()), want: `board name "" of monitor 1: at most one board may have no name`},
		{name: "two boards of one name", src: monitors(t, named("a"), named("a")), want: `board name "a" of monitor 1: must be unique`},
		{name: "a name that breaks a scrape", src: monitors(t, named("a\xff")), want: `board name "a\xff": must be valid UTF-8`},
		{name: "a nil guard", src: otelbridge.Sources{Guards: []*resubscribe.Guard{nil}}, want: "guard 0 nil: must not be nil"},
		{name: "two guards of one key", src: otelbridge.Sources{Guards: []*resubscribe.Guard{newGuard(t, "a"), newGuard(t, "a")}}, want: `guard key "a" of guard 1: must be unique`},
		{name: "prefix without a separator", src: one, opts: prefix("otopcua"), want: `name prefix "otopcua": must be a letter`},
		{name: "prefix too long", src: one, opts: prefix(strings.Repeat("a", 200) + "."), want: "name prefix of 201 bytes: must be at most 200"},

		{name: "no board, nil options", src: monitors(t, nil), opts: []prom.Option{nil, prom.WithClock(nil)}},
		{name: "one without and others with a name", src: monitors(t, named("a"), board.New(), named("b"))},
		{name: "tiers alone", src: otelbridge.Sources{Tiers: tiers.New()}},
		{name: "redundancy alone", src: otelbridge.Sources{Redundancy: new(redundancy.Node)}},
		{name: "guards alone", src: otelbridge.Sources{Guards: []*resubscribe.Guard{newGuard(t, "a")}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := prom.New(c.src, c.opts...)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want == "":
				get(t, e)
				must(t, e.Close())
			case err == nil || !strings.HasPrefix(err.Error(), "prom: "+c.want):
				t.Errorf("error %v, want %q", err, c.want)
			case e != nil:
				t.Error("an exporter and an error")
			}
		})
	}
}
