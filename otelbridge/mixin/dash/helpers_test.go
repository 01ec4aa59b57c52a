package dash_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/dash"
)

func newDashboard(t *testing.T, c dash.Config) dash.Dashboard {
	t.Helper()
	d, err := dash.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// panelsOf leaves out the rows.
func panelsOf(d dash.Dashboard) []*dashboard.Panel {
	var panels []*dashboard.Panel
	for _, p := range d.Panels {
		if p.Panel != nil {
			panels = append(panels, p.Panel)
		}
	}
	return panels
}

func queriesOf(t *testing.T, p *dashboard.Panel) []prometheus.Dataquery {
	t.Helper()
	var queries []prometheus.Dataquery
	for _, target := range p.Targets {
		q, ok := target.(prometheus.Dataquery)
		if !ok {
			t.Fatalf("%s: a query of %T", *p.Title, target)
		}
		queries = append(queries, q)
	}
	return queries
}

// expressions are those of all panels and all variables.
func expressions(t *testing.T, d dash.Dashboard) []string {
	t.Helper()
	var all []string
	for _, p := range panelsOf(d) {
		for _, q := range queriesOf(t, p) {
			all = append(all, q.Expr)
		}
	}
	for _, v := range d.Templating.List {
		if v.Type == dashboard.VariableTypeQuery {
			all = append(all, *v.Query.String)
		}
	}
	return all
}

// selector is a metric's name and its matchers. No value has a brace.
var selector = regexp.MustCompile(`([A-Za-z_:][A-Za-z0-9_:]*)?\{([^}]*)\}`)

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
