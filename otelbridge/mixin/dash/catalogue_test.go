package dash_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/dash"
)

// catalogue returns the labels of each metric as Prometheus sees it.
func catalogue(t *testing.T) map[string][]string {
	t.Helper()
	_, text, found := strings.Cut(read(t, "../../testdata/catalogue.golden"), "# Prometheus\n")
	if !found {
		t.Fatal("no part for Prometheus")
	}
	metrics := map[string][]string{}
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 1 {
			metrics[fields[0]] = fields[2:]
		}
	}
	return metrics
}

// family is the metric that a name selects: a histogram's parts are one.
func family(name string) string {
	for _, part := range []string{"_bucket", "_count", "_sum"} {
		name = strings.TrimSuffix(name, part)
	}
	return name
}

// used returns the metrics that the dashboard selects, with all their selectors'
// matchers.
func used(t *testing.T, d dash.Dashboard) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, expr := range expressions(t, d) {
		for _, m := range selector.FindAllStringSubmatch(expr, -1) {
			if m[1] != "" {
				found[family(m[1])] = append(found[family(m[1])], m[2])
			}
		}
	}
	return found
}

// TestNames wants every metric of the dashboard in the catalogue, with the
// labels it is chosen by, and every metric of the catalogue in the dashboard.
func TestNames(t *testing.T) {
	metrics := catalogue(t)
	shown := used(t, newDashboard(t, dash.Config{}))
	for name, selectors := range shown {
		labels, ok := metrics[name]
		if !ok {
			t.Errorf("%s: not in the catalogue", name)
			continue
		}
		for _, matchers := range selectors {
			for m := range strings.SplitSeq(matchers, ",") {
				label := m[:strings.IndexAny(m, "=!")]
				if label != "job" && label != "instance" && !slices.Contains(labels, label) {
					t.Errorf("%s has no label %s", name, label)
				}
			}
		}
	}
	left := map[string]string{
		"health_tier_checks": "it chooses the targets, by a pattern",
		"liveness_processor_last_heartbeat_timestamp_seconds": "the age is what a person reads",
	}
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		if shown[name] == nil && left[name] == "" {
			t.Errorf("%s: not on the dashboard", name)
		}
	}
}

// TestPrefix wants the prefix as Prometheus has it before every name.
func TestPrefix(t *testing.T) {
	plain := used(t, newDashboard(t, dash.Config{}))
	for prefix, want := range map[string]string{
		"otopcua.":    "otopcua_",
		"my_app_":     "my_app_",
		"a.b-c/d.":    "a_b_c_d_",
		"acme..loop.": "acme_loop_",
		"Acme2._":     "Acme2_",
	} {
		d := newDashboard(t, dash.Config{Prefix: prefix})
		prefixed := used(t, d)
		if len(prefixed) != len(plain) {
			t.Errorf("%s: %d metrics, want %d", prefix, len(prefixed), len(plain))
		}
		for name := range prefixed {
			if rest, ok := strings.CutPrefix(name, want); !ok || plain[rest] == nil {
				t.Errorf("%s: metric %s, want the prefix %s", prefix, name, want)
			}
		}
		choice := *d.Templating.List[1].Query.String
		if !strings.Contains(choice, `"`+want+"liveness_board_processors|"+want+"health_tier_checks|"+want+"redundancy_role|"+want+`resubscribe_in_flight"`) {
			t.Errorf("%s: jobs are chosen by %s", prefix, choice)
		}
	}
}

// TestSelector wants the matchers in every selector, and those of the variables
// wherever the metric has the label: a choice that some panels ignore misleads.
func TestSelector(t *testing.T) {
	const matchers = `cluster="eu-1",team=~"a|b"`
	metrics := catalogue(t)
	d := newDashboard(t, dash.Config{Selector: matchers})
	for _, expr := range expressions(t, d) {
		found := selector.FindAllStringSubmatch(expr, -1)
		if len(found) == 0 {
			t.Errorf("no selector in %s", expr)
		}
		for _, m := range found {
			if !strings.HasSuffix(m[2], matchers) {
				t.Errorf("%s{%s} lacks %s", m[1], m[2], matchers)
			}
			if strings.HasPrefix(expr, "label_values(") {
				continue // each chooses among what the ones before leave
			}
			for _, label := range append([]string{"job", "instance"}, metrics[family(m[1])]...) {
				if label != "board" && label != "processor" && label != "job" && label != "instance" {
					continue
				}
				if !strings.Contains(m[2], label+`=~"$`+label+`"`) {
					t.Errorf("%s{%s} ignores the choice of %s", m[1], m[2], label)
				}
			}
		}
	}
}
