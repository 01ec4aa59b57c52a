package promtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	grafana "github.com/grafana/grafana-foundation-sdk/go/prometheus"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/dash"
)

// scrapes are the jobs that are pulled. The first has a label that the selector
// of one dashboard asks for.
const scrapes = `
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - {job_name: otel, metrics_path: /otel, static_configs: [{targets: ["ADDRESS"], labels: {cluster: eu-1}}]}
  - {job_name: prom, metrics_path: /prom, static_configs: [{targets: ["ADDRESS"]}]}
  - {job_name: prefixed, metrics_path: /prefixed, static_configs: [{targets: ["ADDRESS"]}]}
`

// TestPanels evaluates every query of every panel on a real Prometheus that has
// scraped, and was sent, what a real program exports. Each has to return what
// the program does.
func TestPanels(t *testing.T) {
	program := open(t)
	p, err := StartPrometheus(startContext(t), PrometheusSetup{
		Config: strings.ReplaceAll(scrapes, "ADDRESS", program.serve(t)),
		Flags:  []string{"--web.enable-otlp-receiver"},
	})
	must(t, err)
	t.Cleanup(func() { must(t, p.Stop()) })
	program.push(t, p)

	// A reason that does not hold any more, and is still there behind a push.
	awaitQuery(t, p, `count(liveness_processor_reason{processor="turning",reason="faulted"}) == 3`)
	program.turning.Restart().Idle()
	awaitQuery(t, p, `count(liveness_processor_reason{processor="turning",job="pushed"}) == 2`)

	for name, c := range map[string]struct {
		config dash.Config
		chosen choices
	}{
		"OpenTelemetry's exporter": {dash.Config{}, choices{"job": {"otel"}}},
		"package prom":             {dash.Config{}, choices{"job": {"prom"}}},
		"pushed over OTLP":         {dash.Config{}, choices{"job": {"pushed"}}},
		"all at once":              {dash.Config{}, choices{}},
		"with a prefix":            {dash.Config{Prefix: "otopcua."}, choices{}},
		"with a selector":          {dash.Config{Selector: `cluster="eu-1"`}, choices{}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := dash.New(c.config)
			must(t, err)
			panels := map[string]bool{}
			deadline := time.Now().Add(30 * time.Second)
			for _, panel := range d.Panels {
				if panel.Panel == nil {
					continue
				}
				for _, target := range panel.Panel.Targets {
					q := target.(grafana.Dataquery)
					query := *panel.Panel.Title + "/" + *q.RefId
					panels[query] = true
					want, ok := contents[query]
					if !ok {
						t.Errorf("%s: the test does not know what it has to return", query)
						continue
					}
					awaitContent(t, p, query, c.chosen.interpolate(d, q.Expr), want, deadline)
				}
			}
			for query := range contents {
				if !panels[query] {
					t.Errorf("%s: no such query", query)
				}
			}
			tryVariables(t, p, d, c.chosen)
		})
	}

	t.Run("choices are kept to", func(t *testing.T) {
		d, err := dash.New(dash.Config{})
		must(t, err)
		for _, c := range []struct {
			chosen choices
			want   int
		}{
			{choices{"job": {"otel", "prom"}, "processor": {"orders", "orders::rebuild::2"}}, 4},
			{choices{"job": {"prom"}, "board": {"shop"}, "processor": {"lonely"}}, 0},
			{choices{"job": {"prom"}, "processor": {"order."}}, 0},
		} {
			samples, err := p.Query(t.Context(), c.chosen.interpolate(d, exprOf(t, d, "Age against threshold")))
			if err != nil || len(samples) != c.want {
				t.Errorf("%v: %v, %v, want %d series", c.chosen, samples, err, c.want)
			}
		}
	})
}

// exprOf returns the first query of a panel.
func exprOf(t *testing.T, d dash.Dashboard, title string) string {
	t.Helper()
	for _, p := range d.Panels {
		if p.Panel != nil && *p.Panel.Title == title {
			return p.Panel.Targets[0].(grafana.Dataquery).Expr
		}
	}
	t.Fatalf("no panel %s", title)
	return ""
}

// tryVariables wants every choice to offer what there is.
func tryVariables(t *testing.T, p *Prometheus, d dash.Dashboard, chosen choices) {
	t.Helper()
	offered := map[string]string{"job": "", "instance": "", "board": "shop", "processor": "orders::rebuild::2"}
	if jobs := chosen["job"]; len(jobs) == 1 {
		offered["job"] = jobs[0]
	}
	for _, v := range d.Templating.List {
		if v.Type != dashboard.VariableTypeQuery {
			continue
		}
		want, ok := offered[v.Name]
		if !ok {
			t.Errorf("variable %s: the test does not know what it has to offer", v.Name)
			continue
		}
		values, err := labelValues(t.Context(), p, chosen.interpolate(d, *v.Query.String))
		found := len(values) > 0 && want == ""
		for _, value := range values {
			found = found || value == want
		}
		if err != nil || !found {
			t.Errorf("variable %s: %q (error %v), want one to be %q", v.Name, values, err, want)
		}
	}
}

// awaitContent asks until the answer has what is wanted.
func awaitContent(t *testing.T, p *Prometheus, query, expr string, want content, deadline time.Time) {
	t.Helper()
	for ; ; time.Sleep(200 * time.Millisecond) {
		samples, err := p.Query(t.Context(), expr)
		if err != nil {
			t.Errorf("%s: %v", query, err) // Prometheus refuses it, and will go on to
			return
		}
		problem := want.problem(samples)
		if problem == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s: %s\n%s", query, problem, expr)
			return
		}
	}
}

// awaitQuery asks until there is an answer.
func awaitQuery(t *testing.T, p *Prometheus, expr string) {
	t.Helper()
	eventually(t, expr, func() bool {
		samples, err := p.Query(t.Context(), expr)
		must(t, err)
		return len(samples) > 0
	})
}

// content is what the answer to a panel's query has to have: a series for each
// value of a label, whose own value is within a span. Other series are fine.
type content struct {
	label string
	spans map[string]span
}

// span is from least to most.
type span struct{ least, most float64 }

// problem says what is missing from the samples, or nothing.
func (c content) problem(samples []Sample) string {
	if len(samples) == 0 {
		return "no data"
	}
	for value, want := range c.spans {
		found := false
		for _, s := range samples {
			if s.Labels[c.label] != value {
				continue
			}
			found = true
			if !(s.Value >= want.least && s.Value <= want.most) { // NaN is neither
				return fmt.Sprintf("%v is %v, want %v to %v", s.Labels, s.Value, want.least, want.most)
			}
		}
		if !found {
			return fmt.Sprintf("no series with %s=%q among %v", c.label, value, samples)
		}
	}
	return ""
}
