package promtest_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

// TestHostileSelectorsLoad puts what YAML, PromQL and templates have a meaning
// for into the selector. The rules still load, and say what was meant.
func TestHostileSelectorsLoad(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, selector := range []string{
		`job="or\"ders",x='it"s'`,
		"job=`a\\b\nc`",
		`job="{{ $value }}",x=~".*: #|-'\\d{2}$"`,
		`job="ä\u2028` + "\x7f" + `"`,
		`job="${liveness_processor_lag}"`,
	} {
		rules, err := mixin.New(mixin.Config{Selector: selector})
		noError(t, err)
		text := ruleFile(t, mixin.Config{Selector: selector})
		file := filepath.Join(folder, "hostile.yaml")
		noError(t, os.WriteFile(file, text, 0o644))
		if output, err := promtool(t, folder, "check", "rules", "--lint=all", "--lint-fatal", "hostile.yaml"); err != nil {
			t.Errorf("%s: %v\n%s", selector, err, output)
		}
		var read struct {
			Groups []struct {
				Rules []struct{ Expr string }
			}
		}
		noError(t, yaml.Unmarshal(text, &read))
		for i, group := range rules.Groups {
			for j, rule := range group.Rules {
				if got := read.Groups[i].Rules[j].Expr; got != rule.Expr {
					t.Errorf("%s: expression\n%s\nwant\n%s", selector, got, rule.Expr)
				}
			}
		}
	}
}
