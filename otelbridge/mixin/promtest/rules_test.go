package promtest_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
	"github.com/loopvitals/loopvitals/otelbridge/mixin/promtest"
)

// ruleFiles are the rules that the unit tests name, by file.
var ruleFiles = map[string]mixin.Config{
	"rules.yaml": {},
	"selected.rules.yaml": {
		Prefix:     "otopcua.",
		Selector:   `job="orders"`,
		Targets:    `role!="sidecar"`,
		RunbookURL: "https://runbooks.example.com/liveness",
		Severity:   map[string]string{"LivenessProcessorSilent": "page"},
	},
}

// testRules is where the unit tests are.
const testRules = "testdata/rules"

// builtPromtool builds it once for all tests.
var builtPromtool = sync.OnceValues(func() (string, error) {
	return promtest.Build(context.Background(), promtest.PromtoolProgram)
})

// promtool runs the pinned promtool in a folder, and returns what it printed.
func promtool(t *testing.T, folder string, args ...string) (string, error) {
	t.Helper()
	program, err := builtPromtool()
	noError(t, err)
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = folder
	output, err := command.CombinedOutput()
	return string(output), err
}

// workshop is a folder with the unit tests and the rules that they name, made
// from the code as it is; it also returns the names of the tests.
func workshop(t *testing.T) (folder string, tests []string) {
	t.Helper()
	folder = t.TempDir()
	noError(t, os.CopyFS(folder, os.DirFS(testRules)))
	for file, config := range ruleFiles {
		noError(t, os.WriteFile(filepath.Join(folder, file), ruleFile(t, config), 0o644))
	}
	files, err := filepath.Glob(filepath.Join(testRules, "*.yaml"))
	noError(t, err)
	for _, file := range files {
		if !strings.HasSuffix(file, ".rules.yaml") {
			tests = append(tests, filepath.Base(file))
		}
	}
	if len(tests) == 0 {
		t.Fatal("no unit tests")
	}
	return folder, tests
}

func ruleFile(t *testing.T, config mixin.Config) []byte {
	t.Helper()
	rules, err := mixin.New(config)
	noError(t, err)
	var file bytes.Buffer
	noError(t, rules.WriteYAML(&file))
	return file.Bytes()
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestRulesLoad has promtool parse every expression and every template, with all
// of its lints.
func TestRulesLoad(t *testing.T) {
	t.Parallel()
	folder, _ := workshop(t)
	for file := range ruleFiles {
		if output, err := promtool(t, folder, "check", "rules", "--lint=all", "--lint-fatal", file); err != nil {
			t.Errorf("%s: %v\n%s", file, err, output)
		}
	}
}

// TestRulesFireAndKeepQuiet runs the unit tests.
func TestRulesFireAndKeepQuiet(t *testing.T) {
	t.Parallel()
	folder, tests := workshop(t)
	output, err := promtool(t, folder, append([]string{"test", "rules"}, tests...)...)
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// neverQuiet is the alert that has no quiet case: it always fires.
const neverQuiet = "LivenessWatchdog"

// TestEveryAlertHasBothCases wants a case in which each alert fires, with every
// label and annotation, and one in which it does not.
func TestEveryAlertHasBothCases(t *testing.T) {
	_, tests := workshop(t)
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, name := range tests {
		for _, scene := range readSuite(t, filepath.Join(testRules, name)).Scenes {
			for _, c := range scene.Alerts {
				if len(c.Fires) == 0 {
					quiet[c.Alert] = true
				} else {
					// promtool compares all labels and all annotations.
					fires[c.Alert] = fires[c.Alert] || len(c.Fires[0].Annotations) == 3
				}
			}
		}
	}
	for _, alert := range mixin.Alerts() {
		if !fires[alert] {
			t.Errorf("%s fires in no case", alert)
		}
		if !quiet[alert] && alert != neverQuiet {
			t.Errorf("%s is quiet in no case", alert)
		}
	}
}
