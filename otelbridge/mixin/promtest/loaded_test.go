package promtest

import (
	"os"
	"strings"
	"testing"
)

// The shipped rules load in a real Prometheus, and each of them can be
// evaluated. With nothing to scrape only the watchdog fires.
func TestShippedRulesAreEvaluated(t *testing.T) {
	rules, err := os.ReadFile("../rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := StartPrometheus(startContext(t), PrometheusSetup{
		Config: "global: {evaluation_interval: 200ms}\nrule_files: [rules.yml]\n",
		Rules:  string(rules),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	var states []RuleState
	eventually(t, "every rule was evaluated", func() bool {
		if states, err = p.Rules(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, r := range states {
			if r.Health == "unknown" {
				return false
			}
		}
		return true
	})
	if want := strings.Count(string(rules), "expr:"); len(states) != want || want < 20 {
		t.Errorf("%d rules in Prometheus, %d in the file", len(states), want)
	}
	for _, r := range states {
		if r.Health != "ok" || r.LastError != "" {
			t.Errorf("%s %s: %s %s\n%s", r.Type, r.Name, r.Health, r.LastError, r.Query)
		}
	}
	alerts, err := p.Alerts(t.Context())
	if err != nil || len(alerts) != 1 || alerts[0].Labels["alertname"] != "LivenessWatchdog" {
		t.Errorf("alerts %v, %v: only the watchdog fires", alerts, err)
	}
}
