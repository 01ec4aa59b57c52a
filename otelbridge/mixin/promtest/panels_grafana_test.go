package promtest

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/dash"
)

// choices are the values that a person chose, by variable; none is all.
type choices map[string][]string

// interpolate replaces what Grafana replaces, as its Prometheus data source
// does: all by what the variable says, several by an alternative, and what means
// something in a regular expression by itself.
func (c choices) interpolate(d dash.Dashboard, expr string) string {
	replacements := []string{"$__rate_interval", "10s"}
	for _, v := range d.Templating.List {
		if v.Type != dashboard.VariableTypeQuery {
			continue
		}
		var quoted []string
		for _, value := range c[v.Name] {
			quoted = append(quoted, strings.ReplaceAll(regexp.QuoteMeta(value), `\`, `\\`))
		}
		value := strings.Join(quoted, "|")
		switch len(quoted) {
		case 0:
			value = *v.AllValue
		case 1:
		default:
			value = "(" + value + ")"
		}
		replacements = append(replacements, "$"+v.Name, value)
	}
	return strings.NewReplacer(replacements...).Replace(expr)
}

var labelValuesForm = regexp.MustCompile(`^label_values\((.+), ([a-z]+)\)$`)

// labelValues asks what Grafana asks for a variable.
func labelValues(ctx context.Context, p *Prometheus, query string) ([]string, error) {
	parts := labelValuesForm.FindStringSubmatch(query)
	if parts == nil {
		return nil, fmt.Errorf("%s: not the values of a label", query)
	}
	var values []string
	return values, p.api(ctx, "/api/v1/label/"+parts[2]+"/values?match[]="+url.QueryEscape(parts[1]), &values)
}
