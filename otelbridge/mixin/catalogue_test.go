package mixin_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

// selector is a metric with its matchers, as an expression has it.
type selector struct{ metric, matchers string }

// selectorForm finds names of metrics, which have that of their room in them, and
// selectors without a name.
var selectorForm = regexp.MustCompile(`(\b(?:up\b|(?:\w+_)?(?:liveness|health|redundancy|resubscribe)_\w+))(?:\{([^}]*)\})?|(?:^|[( ])\{([^}]*)\}`)

func selectorsIn(expr string) []selector {
	var found []selector
	for _, m := range selectorForm.FindAllStringSubmatch(expr, -1) {
		found = append(found, selector{m[1], m[2] + m[3]})
	}
	return found
}

// exported returns the labels of each metric that Prometheus sees.
func exported(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../testdata/catalogue.golden")
	if err != nil {
		t.Fatal(err)
	}
	_, exposed, found := strings.Cut(string(text), "# Prometheus\n")
	if !found {
		t.Fatal("the catalogue has no part Prometheus")
	}
	all := map[string][]string{}
	for line := range strings.Lines(exposed) {
		if words := strings.Fields(line); len(words) > 2 {
			all[words[0]] = words[2:]
		}
	}
	return all
}

// values are those that a label can have, where they are laid down.
func values() map[string][]string {
	var reasons []string
	for r := liveness.Reason(0); r.String() != fmt.Sprintf("reason_%d", r); r++ {
		reasons = append(reasons, r.String())
	}
	reasons = append(reasons, redundancy.DeniedRoleUnknown.String())
	return map[string][]string{
		"status": {"healthy", "degraded", "unhealthy", "unknown"},
		"reason": reasons,
		"role":   {redundancy.RoleUnknown.String(), redundancy.Primary.String(), redundancy.Secondary.String()},
		"tier":   {"ready", "active", "startup", "wedged"},
	}
}

// TestRulesKeepToTheCatalogue holds every metric, label and value in an
// expression against what the exporters export: a misspelt one would match
// nothing, and an alert that can never fire looks like peace.
func TestRulesKeepToTheCatalogue(t *testing.T) {
	known, laidDown := exported(t), values()
	matcher := regexp.MustCompile(`(\w+)(?:=~|!~|!=|=)"([^"]*)"`)
	used := 0
	for _, group := range newRules(t, mixin.Config{}).Groups {
		for _, rule := range group.Rules {
			for _, s := range selectorsIn(rule.Expr) {
				used++
				labels, there := known[s.metric]
				switch {
				case s.metric == "up":
				case s.metric == "" && s.matchers == `__name__=~"(liveness|health|redundancy|resubscribe)_.+",otel_metric_overflow="true"`:
					continue // any metric that overflowed
				case !there:
					t.Errorf("%s%s: there is no metric %q", rule.Alert, rule.Record, s.metric)
				}
				for _, m := range matcher.FindAllStringSubmatch(s.matchers, -1) {
					if !slices.Contains(labels, m[1]) {
						t.Errorf("%s%s: %s has no label %s", rule.Alert, rule.Record, s.metric, m[1])
					}
					for value := range strings.SplitSeq(m[2], "|") {
						if !slices.Contains(laidDown[m[1]], value) {
							t.Errorf("%s%s: %s of %s is never %q", rule.Alert, rule.Record, m[1], s.metric, value)
						}
					}
				}
			}
		}
	}
	if used < 50 {
		t.Errorf("found only %d metrics in the rules", used)
	}
}

// TestAggregations wants nothing but the labels that the rules promise in every
// aggregation and every join.
func TestAggregations(t *testing.T) {
	allowed := []string{
		"", "job", "job, status", "job, tier", "job, check",
		"job, instance", "job, instance, tier", "job, instance, check", "job, instance, guard",
		"job, board, processor", "job, instance, board", "job, instance, board, processor",
	}
	lists := regexp.MustCompile(`\b(by|on|without|ignoring|group_left|group_right) \(([^)]*)\)`)
	for _, group := range newRules(t, mixin.Config{}).Groups {
		for _, rule := range group.Rules {
			for _, m := range lists.FindAllStringSubmatch(rule.Expr, -1) {
				if !slices.Contains(allowed, m[2]) || m[1] == "without" || m[1] == "ignoring" {
					t.Errorf("%s%s: %s", rule.Alert, rule.Record, m[0])
				}
			}
		}
	}
}
