package mixin_test

import (
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

// TestSelectors reads what PromQL reads, and refuses what would break a rule
// file or match nothing.
func TestSelectors(t *testing.T) {
	for _, c := range []struct{ selector, want string }{
		{`job="orders"`, `{job="orders"}`},
		{` job = "orders" , cluster =~ "eu-.+" , `, `{job="orders",cluster=~"eu-.+"}`},
		{`job!="a",job!~"b|c"`, `{job!="a",job!~"b|c"}`},
		{`job='it"s'`, `{job="it\"s"}`},
		{`job='it\'s'`, `{job="it's"}`},
		{"job=`a\\d`", `{job="a\\d"}`},
		{`job="a\\d{2}",x=~"\\d{2}$"`, `{job="a\\d{2}",x=~"\\d{2}$"}`},
		{`job="${liveness_processor_lag}"`, `{job="${liveness_processor_lag}"}`},
		{`job="ä\n"`, `{job="ä\n"}`},
		{`job`, ""},
		{`job=orders`, ""},
		{`job="orders`, ""},
		{`job="orders"} or vector(1) #`, ""},
		{`job="a" cluster="b"`, ""},
		{`,job="a"`, ""},
		{`1job="a"`, ""},
		{`job=="a"`, ""},
		{`job="\z"`, ""},
		{`job=~"("`, ""},
		{`job!~"[a"`, ""},
		{`__name__="up"`, ""},
		{`processor="orders"`, ""},
		{`board=~".+"`, ""},
		{`status="unhealthy"`, ""},
		{`level="250"`, ""},
		{`peer="a:1"`, ""},
		{`guard="gateway-a"`, ""},
	} {
		for _, field := range []string{"Selector", "Targets"} {
			config := mixin.Config{Selector: c.selector}
			if field == "Targets" {
				config = mixin.Config{Targets: c.selector}
			}
			rules, err := mixin.New(config)
			if c.want == "" {
				if err == nil || !strings.HasPrefix(err.Error(), "mixin: "+field+" ") {
					t.Errorf("%s %s: %v, want an error", field, c.selector, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s %s: %v", field, c.selector, err)
				continue
			}
			if expr := alerts(rules)["LivenessTargetDown"].Expr; !strings.Contains(expr, "(up"+c.want+")") {
				t.Errorf("%s %s: no %s in\n%s", field, c.selector, c.want, expr)
			}
		}
	}
}

// TestRoleOfTargets: targets may have a label that redundancy_role has as well.
// It may choose among them, but not among the metrics.
func TestRoleOfTargets(t *testing.T) {
	if _, err := mixin.New(mixin.Config{Targets: `role="driver"`}); err != nil {
		t.Errorf("Targets: %v", err)
	}
	_, err := mixin.New(mixin.Config{Selector: `role="driver"`})
	if err == nil || !strings.Contains(err.Error(), "must be on labels of targets, not on role") {
		t.Errorf("Selector: %v", err)
	}
}

// TestEverySelectorIsSelected wants the selector's matchers between the braces
// of every metric.
func TestEverySelectorIsSelected(t *testing.T) {
	for name, rule := range alerts(newRules(t, mixin.Config{Selector: `job="orders",cluster="eu"`})) {
		for _, s := range selectorsIn(rule.Expr) {
			if !strings.HasPrefix(s.matchers, `job="orders",cluster="eu"`) {
				t.Errorf("%s: %s{%s}", name, s.metric, s.matchers)
			}
		}
	}
}
