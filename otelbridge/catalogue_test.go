package otelbridge_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/tiers"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file of testdata. Names, units, attribute keys and
// label values are API: a changed file is a changed promise.
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
		t.Errorf("%s differs (-want +got); if that is meant, run go test ./otelbridge -update:\n%s", path, diff)
	}
}

// small is a small program in which every row of the catalogue has a value: one
// processor for each way of living, three checks that end differently, one node
// of a pair, and two guards.
func small(t *testing.T) otelbridge.Sources {
	t.Helper()
	b := board.New(board.WithName("shop"))
	orders := b.MustRegister(board.Spec{ID: "orders"})
	billing := b.MustRegister(board.Spec{ID: "billing", Interval: 2 * time.Second})
	audit := b.MustRegister(board.Spec{ID: "audit"})
	b.MustRegister(board.Spec{ID: "mail"})
	rebuild := b.MustRegister(board.Spec{ID: "orders", Rebuild: "2"})
	m := newMonitor(t, b, liveness.WithPolicyFor("orders", liveness.Policy{StaleAfter: 3 * time.Second, DegradedLag: 100}))

	set := tiers.New()
	must(t,
		set.AddReady("processors", m),
		set.AddReady("database", check.Ping(func(context.Context) error { time.Sleep(20 * time.Millisecond); return nil }),
			tiers.WithTags(tiers.TagActive)),
		set.AddActive("lease", check.Ping(func(context.Context) error { return errors.New("held by another") })),
	)

	billing.Busy()
	orders.BeatLag(-1)
	orders.BeatLag(250)
	orders.SetPosition(4711)
	rebuild.BeatLag(1_000_000)
	audit.Fault(errors.New("no such table"))
	if _, err := b.Register(board.Spec{ID: "orders"}); err == nil {
		t.Fatal("a second orders was registered")
	}
	node := newWarm(t, redundancy.Config{})
	waiting, idle := newGuard(t, "gateway-a"), newGuard(t, "gateway-b")
	begin(t, waiting)
	idle.Succeed(begin(t, idle))
	time.Sleep(1500 * time.Millisecond)
	rebuild.Beat()
	return otelbridge.Sources{
		Monitors: []*liveness.Monitor{m}, Tiers: set, Redundancy: node.Node,
		Guards: []*resubscribe.Guard{waiting, idle},
	}
}

// evaluate asks a tier and waits until the observers have seen the samples.
func evaluate(t *testing.T, set *tiers.Set, tier tiers.Tier) {
	t.Helper()
	set.Evaluate(t.Context(), tier)
	synctest.Wait()
}

// TestCatalogue holds every name, kind, unit and attribute key, in OpenTelemetry
// and in Prometheus.
func TestCatalogue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := small(t)
		defer watch(t, src.Monitors[0])()
		r := newRig(t, src)
		evaluate(t, src.Tiers, tiers.Ready)
		evaluate(t, src.Tiers, tiers.Active)

		var lines []string
		for _, m := range r.metrics(t) {
			keys := map[string]bool{}
			for _, p := range pointsOf(m.Data) {
				for key := range p.labels {
					keys[key] = true
				}
			}
			unit := m.Unit
			if unit == "" {
				unit = "-"
			}
			lines = append(lines, fmt.Sprintf("%-40s %-14s %-12s %s", m.Name, kind(t, m.Data), unit, join(keys)))
		}
		families, err := r.registry.Gather()
		must(t, err)
		var exposed []string
		for _, f := range families {
			keys := map[string]bool{}
			for _, m := range f.GetMetric() {
				for _, l := range m.GetLabel() {
					keys[l.GetName()] = true
				}
			}
			exposed = append(exposed, fmt.Sprintf("%-54s %-14s %s",
				f.GetName(), strings.ToLower(f.GetType().String()), join(keys)))
		}
		slices.Sort(lines)
		golden(t, "catalogue.golden", "# OpenTelemetry\n"+strings.Join(lines, "\n")+
			"\n\n# Prometheus\n"+strings.Join(exposed, "\n")+"\n")
	})
}

// kind is an instrument's kind as its data shows it.
func kind(t *testing.T, data metricdata.Aggregation) string {
	t.Helper()
	switch d := data.(type) {
	case metricdata.Sum[int64]:
		if d.IsMonotonic {
			return "counter"
		}
		return "updowncounter"
	case metricdata.Gauge[int64], metricdata.Gauge[float64]:
		return "gauge"
	case metricdata.Histogram[float64]:
		return "histogram"
	}
	t.Fatalf("a kind that the catalogue does not have: %T", data)
	return ""
}

func join(keys map[string]bool) string {
	if len(keys) == 0 {
		return "-"
	}
	return strings.Join(slices.Sorted(maps.Keys(keys)), " ")
}

// TestPrometheusText holds the text that a scrape of a small board gives, and
// that Prometheus' own linter has nothing to say about it.
func TestPrometheusText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := small(t)
		defer watch(t, src.Monitors[0])()
		r := newRig(t, src)
		evaluate(t, src.Tiers, tiers.Ready)
		evaluate(t, src.Tiers, tiers.Active)
		text := r.scrape(t)
		golden(t, "scrape.golden", text)

		problems, err := promlint.New(strings.NewReader(text)).Lint()
		must(t, err)
		for _, p := range problems {
			t.Errorf("promlint: %s: %s", p.Metric, p.Text)
		}
	})
}

// TestDocTable holds the package comment's table against the catalogue.
func TestDocTable(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	must(t, err)
	catalogue, err := os.ReadFile(filepath.Join("testdata", "catalogue.golden"))
	must(t, err)
	catalogue, _, _ = bytes.Cut(catalogue, []byte("\n\n# Prometheus"))
	rows := func(text, prefix string) []string {
		var found []string
		for line := range strings.Lines(text) {
			line, ok := strings.CutPrefix(line, prefix)
			room, _, _ := strings.Cut(line, ".")
			if !ok || !slices.Contains([]string{"liveness", "health", "redundancy", "resubscribe"}, room) {
				continue
			}
			fields := strings.Fields(line)
			attributes := slices.DeleteFunc(fields[3:], func(a string) bool { return a == "-" || a == "board" })
			slices.Sort(attributes)
			found = append(found, strings.Join(append(fields[:3:3], attributes...), " "))
		}
		slices.Sort(found)
		return found
	}
	if diff := cmp.Diff(rows(string(catalogue), ""), rows(string(doc), "//\t")); diff != "" {
		t.Errorf("doc.go differs from the catalogue (-want +got):\n%s", diff)
	}
}
