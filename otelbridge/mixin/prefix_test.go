package mixin_test

import (
	"slices"
	"testing"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

// TestPrefixIsThatOfTheExporters wants the names of the exporters in the rules,
// whatever the prefix is made of, and the same prefixes refused.
func TestPrefixIsThatOfTheExporters(t *testing.T) {
	for _, prefix := range []string{"otopcua.", "otopcua_", "a.-b.", "a__b__", "A/b-1_", "a.", "otopcua", "_a.", "a b.", "ä.", "."} {
		rules, err := mixin.New(mixin.Config{Prefix: prefix})
		if refused := catalogue.ValidatePrefix(prefix) != nil; refused || err != nil {
			if !refused || err == nil {
				t.Errorf("%q: %v, and refused by the exporters: %v", prefix, err, refused)
			}
			continue
		}
		var names []string
		for id := range catalogue.Count {
			m := id.Metric()
			names = append(names, m.Prometheus(prefix))
		}
		for _, rule := range alerts(rules) {
			for _, s := range selectorsIn(rule.Expr) {
				if s.metric != "up" && s.metric != "" && !slices.Contains(names, s.metric) {
					t.Errorf("%q: %s asks for %s", prefix, rule.Alert, s.metric)
				}
			}
		}
	}
}
