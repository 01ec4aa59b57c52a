package promtest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

// TestMutantRulesAreFound breaks each alert in turn: it always fires, never
// fires, waits too long or too short, goes without one of its clauses, and is off
// by one in a comparison. Some unit test of that alert must fail each time, or
// nothing holds it to what it is. One promtool runs them all, each with nothing
// but the mutant.
func TestMutantRulesAreFound(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var names, files []string
	for ruleFile, config := range ruleFiles {
		suites := suitesOf(t, ruleFile)
		rules, err := mixin.New(config)
		noError(t, err)
		for _, rule := range alertsOf(rules) {
			if ruleFile != "rules.yaml" && rule.Alert != onlySelected {
				continue
			}
			for what, mutant := range mutantsOf(rule) {
				name := rule.Alert + " " + what
				names = append(names, name)
				files = append(files, writeMutant(t, folder, len(names), mutant, suites)...)
			}
		}
	}
	if len(names) < 4*len(mixin.Alerts()) {
		t.Errorf("only %d mutants of %d alerts", len(names), len(mixin.Alerts()))
	}

	output, _ := promtool(t, folder, append([]string{"test", "rules"}, files...)...)
	tried, found := map[int]bool{}, map[int]bool{}
	for _, result := range strings.Split(output, "Processing test file: ")[1:] {
		file, verdict, _ := strings.Cut(result, "\n")
		name, _, _ := strings.Cut(file, ".")
		mutant := number(t, name)
		tried[mutant] = true
		found[mutant] = found[mutant] || strings.Contains(verdict, "FAILED")
	}
	for i, name := range names {
		switch {
		case !tried[i+1]:
			t.Errorf("promtool did not get to it: %s\n%s", name, output)
		case strings.HasSuffix(name, unchanged) && found[i+1]:
			t.Errorf("a unit test fails on its own for %s", name)
		case !found[i+1] && !strings.HasSuffix(name, unchanged):
			t.Errorf("no unit test fails for %s", name)
		}
	}
}

// unchanged is the mutant that is none: whatever fails for it finds nothing.
const unchanged = "unchanged"

// onlySelected is the alert that the default rules do not have.
const onlySelected = "LivenessJobAbsent"

func number(t *testing.T, text string) int {
	t.Helper()
	var n int
	_, err := fmt.Sscan(text, &n)
	noError(t, err)
	return n
}

// suitesOf returns the suites that name a rule file first.
func suitesOf(t *testing.T, ruleFile string) []suite {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testRules, "*.yaml"))
	noError(t, err)
	var suites []suite
	for _, file := range files {
		if s := readSuite(t, file); len(s.RuleFiles) > 0 && s.RuleFiles[0] == ruleFile {
			suites = append(suites, s)
		}
	}
	return suites
}

func alertsOf(rules *mixin.Rules) []mixin.Rule {
	var alerts []mixin.Rule
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			if rule.Alert != "" && rule.Alert != neverQuiet {
				alerts = append(alerts, rule)
			}
		}
	}
	return alerts
}

// writeMutant writes a rule file with the mutant alone, and the parts of the
// suites that ask for its alert. It returns the names of these, which begin with
// the mutant's number.
func writeMutant(t *testing.T, folder string, number int, mutant mixin.Rule, suites []suite) (files []string) {
	t.Helper()
	var text bytes.Buffer
	rules := mixin.Rules{Groups: []mixin.Group{{Name: "mutant", Rules: []mixin.Rule{mutant}}}}
	noError(t, rules.WriteYAML(&text))
	ruleFile := fmt.Sprintf("%d.rules.yaml", number)
	noError(t, os.WriteFile(filepath.Join(folder, ruleFile), text.Bytes(), 0o644))
	for i, s := range suites {
		part := s.about(mutant.Alert)
		if len(part.Scenes) == 0 {
			continue
		}
		part.RuleFiles = []string{ruleFile}
		text, err := yaml.Marshal(part)
		noError(t, err)
		file := fmt.Sprintf("%d.%d.yaml", number, i)
		noError(t, os.WriteFile(filepath.Join(folder, file), text, 0o644))
		files = append(files, file)
	}
	return files
}

// mutantsOf returns the ways to break a rule, by what is wrong with it.
func mutantsOf(rule mixin.Rule) map[string]mixin.Rule {
	mutants := map[string]mixin.Rule{}
	with := func(what string, change func(*mixin.Rule)) {
		mutant := rule
		change(&mutant)
		mutants[what] = mutant
	}
	with(unchanged, func(*mixin.Rule) {})
	with("always fires", func(m *mixin.Rule) { m.Expr = "vector(1)" })
	with("never fires", func(m *mixin.Rule) { m.Expr = "vector(0) > 1" })
	with("waits a minute more", func(m *mixin.Rule) { m.For += time.Minute })
	if rule.For > 0 {
		with("waits half a minute less", func(m *mixin.Rule) { m.For -= 30 * time.Second })
	}
	for clause, expr := range withoutClauses(rule.Expr) {
		with("without "+clause, func(m *mixin.Rule) { m.Expr = expr })
	}
	for place, expr := range offByOne(rule.Expr) {
		with("off by one "+place, func(m *mixin.Rule) { m.Expr = expr })
	}
	return mutants
}

// clauseForm is the first line of a clause.
var clauseForm = regexp.MustCompile(`^( *)(and|or|unless)\b`)

// withoutClauses returns an expression without each of its clauses: from a line
// that begins with and, or, or unless, to the next such line of the same
// indentation, or to the end of the block.
func withoutClauses(expr string) map[string]string {
	lines := strings.Split(expr, "\n")
	all := map[string]string{}
	for from, line := range lines {
		match := clauseForm.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		indent := len(match[1])
		end := from + 1
		for end < len(lines) {
			deep := len(lines[end]) - len(strings.TrimLeft(lines[end], " "))
			if deep < indent || deep == indent && clauseForm.MatchString(lines[end]) {
				break
			}
			end++
		}
		clause := strings.Join(strings.Fields(strings.Join(lines[from:end], " ")), " ")
		all[fmt.Sprintf("%s (line %d)", clause, from+1)] = strings.Join(slices.Concat(lines[:from], lines[end:]), "\n")
	}
	return all
}

// comparisonForm is a comparison of values. Those that end in on compare times,
// with a tolerance in which equality never falls.
var comparisonForm = regexp.MustCompile(`(?m)(^ *|\) )(>=|==|>)( \d|$)`)

// offByOne returns an expression with each of its comparisons replaced by its
// neighbour.
func offByOne(expr string) map[string]string {
	neighbour := map[string]string{">": ">=", ">=": ">", "==": "!="}
	all := map[string]string{}
	for _, at := range comparisonForm.FindAllStringSubmatchIndex(expr, -1) {
		from, to := at[4], at[5]
		all["before: "+strings.TrimSpace(expr[to:min(to+30, len(expr))])+fmt.Sprintf(" (at %d)", from)] = expr[:from] + neighbour[expr[from:to]] + expr[to:]
	}
	return all
}
