package promtest_test

import (
	"bytes"
	"os"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"sigs.k8s.io/yaml"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

// TestManifestIsOfTheOperatorsTypes decodes PrometheusRules into the types of
// the operator, strictly: a field that they do not have is an error. Then it
// looks whether everything arrived, and that the committed file is one.
func TestManifestIsOfTheOperatorsTypes(t *testing.T) {
	rules, err := mixin.New(mixin.Config{Selector: `job="orders"`})
	noError(t, err)
	var text bytes.Buffer
	noError(t, rules.WriteManifest(&text, mixin.Manifest{
		Name: "orders", Namespace: "shop", Labels: map[string]string{"release": "main", "example.com/team": "1"},
	}))
	got := decodeManifest(t, text.Bytes())
	if got.Name != "orders" || got.Namespace != "shop" ||
		len(got.Labels) != 2 || got.Labels["release"] != "main" || got.Labels["example.com/team"] != "1" {
		t.Errorf("metadata %+v", got.ObjectMeta)
	}
	sameGroups(t, rules.Groups, got.Spec.Groups)

	committed, err := os.ReadFile("../prometheusrule.yaml")
	noError(t, err)
	rules, err = mixin.New(mixin.Config{})
	noError(t, err)
	got = decodeManifest(t, committed)
	if got.Name != "loopvitals" || got.Namespace != "" || got.Labels != nil {
		t.Errorf("metadata of the defaults %+v", got.ObjectMeta)
	}
	sameGroups(t, rules.Groups, got.Spec.Groups)
}

func decodeManifest(t *testing.T, text []byte) monitoringv1.PrometheusRule {
	t.Helper()
	var rule monitoringv1.PrometheusRule
	noError(t, yaml.UnmarshalStrict(text, &rule))
	if rule.APIVersion != monitoringv1.SchemeGroupVersion.String() || rule.Kind != monitoringv1.PrometheusRuleKind {
		t.Errorf("%s %s, want %s %s", rule.APIVersion, rule.Kind, monitoringv1.SchemeGroupVersion, monitoringv1.PrometheusRuleKind)
	}
	return rule
}

// sameGroups compares rules with what a reader of their YAML sees. The operator
// requires a name in each group, and an expression in each rule.
func sameGroups(t *testing.T, want []mixin.Group, got []monitoringv1.RuleGroup) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d groups, want %d", len(got), len(want))
	}
	for i, group := range want {
		if got[i].Name != group.Name || group.Name == "" || len(got[i].Rules) != len(group.Rules) {
			t.Fatalf("group %q of %d rules, want %q of %d", got[i].Name, len(got[i].Rules), group.Name, len(group.Rules))
		}
		for j, rule := range group.Rules {
			sameRule(t, rule, got[i].Rules[j])
		}
	}
}

func sameRule(t *testing.T, want mixin.Rule, got monitoringv1.Rule) {
	t.Helper()
	if got.Alert != want.Alert || got.Record != want.Record || (got.Alert == "") == (got.Record == "") {
		t.Errorf("alert %q, record %q, want %q, %q", got.Alert, got.Record, want.Alert, want.Record)
	}
	if got.Expr.String() != want.Expr || want.Expr == "" {
		t.Errorf("%s%s: expression\n%s\nwant\n%s", want.Alert, want.Record, got.Expr.String(), want.Expr)
	}
	if (got.For == nil) != (want.For == 0) {
		t.Errorf("%s: for %v, want %v", want.Alert, got.For, want.For)
	}
	for key, value := range want.Labels {
		if got.Labels[key] != value || len(got.Labels) != len(want.Labels) {
			t.Errorf("%s: labels %v, want %v", want.Alert, got.Labels, want.Labels)
		}
	}
	for key, value := range want.Annotations {
		if got.Annotations[key] != value || len(got.Annotations) != len(want.Annotations) {
			t.Errorf("%s: annotations %v, want %v", want.Alert, got.Annotations, want.Annotations)
		}
	}
}
