package promtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
	"github.com/loopvitals/loopvitals/otelbridge/mixin/promtest"
)

// snippet returns the YAML of a page of the documentation that begins with a key.
func snippet(t *testing.T, page, key string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../docs", page))
	noError(t, err)
	for _, match := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(match[1], key+":\n") {
			return match[1]
		}
	}
	t.Fatalf("docs/%s has no YAML that begins with %s", page, key)
	return ""
}

// TestDocumentedScrapeLoads checks the configuration of Prometheus as it is shown,
// next to the rules that it names.
func TestDocumentedScrapeLoads(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	config := snippet(t, "alerting.md", "scrape_configs")
	noError(t, os.WriteFile(filepath.Join(folder, "prometheus.yml"), []byte(config), 0o600))
	rules := ruleFile(t, mixin.Config{Selector: `job="orders"`})
	noError(t, os.WriteFile(filepath.Join(folder, "loopvitals.rules.yaml"), rules, 0o600))
	output, err := promtool(t, folder, "check", "config", "prometheus.yml")
	if err != nil || !strings.Contains(output, "rules found") {
		t.Errorf("%v\n%s", err, output)
	}
}

// TestDocumentedRoutesLoad starts an Alertmanager with the routes as they are
// shown. The inhibit rules are those of the operations guide.
func TestDocumentedRoutesLoad(t *testing.T) {
	config := snippet(t, "alerting.md", "route")
	if inhibit := snippet(t, "operations.md", "inhibit_rules"); !strings.HasSuffix(config, inhibit) {
		t.Errorf("docs/alerting.md does not end its routes with the inhibit rules of docs/operations.md:\n%s", inhibit)
	}
	a, err := promtest.StartAlertmanager(t.Context(), config)
	noError(t, err)
	defer a.Stop()
	if log := a.Log(); strings.Contains(log, "level=WARN") {
		t.Errorf("Alertmanager complains:\n%s", log)
	}
}
