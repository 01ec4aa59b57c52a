package mixin_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

// TestEveryAlertSaysAllThatItShould wants the annotations and the severity, and
// every label that tells instances of the alert apart in its description.
func TestEveryAlertSaysAllThatItShould(t *testing.T) {
	rules := newRules(t, mixin.Config{Selector: `job="orders"`})
	if n := len(alerts(rules)); n != len(mixin.Alerts()) {
		t.Errorf("%d alerts, want %d", n, len(mixin.Alerts()))
	}
	severities := []string{"critical", "warning", "info", "none"}
	for name, rule := range alerts(rules) {
		if !slices.Contains(severities, rule.Labels["severity"]) || len(rule.Labels) != 1 {
			t.Errorf("%s: labels %v", name, rule.Labels)
		}
		if want := mixin.DefaultRunbookURL + "#" + strings.ToLower(name); rule.Annotations["runbook_url"] != want {
			t.Errorf("%s: runbook_url %s, want %s", name, rule.Annotations["runbook_url"], want)
		}
		summary, description := rule.Annotations["summary"], rule.Annotations["description"]
		if !strings.HasSuffix(summary, ".") || len(summary) > 60 || strings.Contains(summary, "{{") {
			t.Errorf("%s: summary %q", name, summary)
		}
		if strings.ContainsAny(description, "<>") || len(description) < 60 {
			t.Errorf("%s: description %q", name, description)
		}
		for _, label := range []string{"job", "instance", "processor", "tier", "check"} {
			aggregated := regexp.MustCompile(`^\W*(?:max|min|count|round\(sum) by \([^)]*\b` + label + `\b`).MatchString(rule.Expr)
			if aggregated && !strings.Contains(description, "$labels."+label+" ") {
				t.Errorf("%s: the description does not name the label %s", name, label)
			}
		}
	}
}

// TestEveryAlertHasARunbook wants an entry in the operations guide for each
// alert, in their order, with all its parts, and none for anything else.
func TestEveryAlertHasARunbook(t *testing.T) {
	guide, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, found := strings.Cut(string(guide), "\n## Alerts\n")
	if !found {
		t.Fatal("docs/operations.md has no chapter Alerts")
	}
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	var titles []string
	for _, section := range strings.Split(chapter, "\n### ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		titles = append(titles, title)
		for _, part := range []string{"**Means.**", "**Look first.**", "**Do.**", "**False page.**"} {
			if !strings.Contains(body, part) {
				t.Errorf("%s: the entry has no part %s", title, part)
			}
		}
	}
	if want := mixin.Alerts(); !slices.Equal(titles, want) {
		t.Errorf("entries %v, want %v", titles, want)
	}
}
