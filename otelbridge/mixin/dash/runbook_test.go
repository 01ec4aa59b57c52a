package dash_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/dash"
)

var heading = regexp.MustCompile("(?m)^#+ (.*)$")

// anchors are the fragments that lead to the headings of the runbook.
func anchors(t *testing.T) map[string]bool {
	t.Helper()
	marks := regexp.MustCompile(`[^\w\- ]`)
	found := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(read(t, "../../../docs/operations.md"), -1) {
		found[strings.ReplaceAll(marks.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return found
}

// TestRunbookLinks follows every link of the dashboard, those of the reasons
// included.
func TestRunbookLinks(t *testing.T) {
	const runbook = "https://wiki.example/runbook"
	known := anchors(t)
	d := newDashboard(t, dash.Config{RunbookURL: runbook})
	if len(d.Links) != 1 || *d.Links[0].Url != runbook {
		t.Errorf("links of the dashboard: %v", d.Links)
	}
	for _, p := range panelsOf(d) {
		for _, l := range p.Links {
			anchor, ok := strings.CutPrefix(*l.Url, runbook+"#")
			if !ok || !known[anchor] {
				t.Errorf("%s: %s leads nowhere", *p.Title, *l.Url)
			}
		}
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"url":"`+runbook+`#${__value.text}"`) {
		t.Error("a reason in the table does not lead to its entry")
	}
	for _, w := range words(t, d, "Reasons over time") {
		if !known[w] {
			t.Errorf("reason %s has no entry in the runbook", w)
		}
	}
}

// TestReasons wants the runbook's reasons in the runbook's order, the first the
// worst, in the numbers that panels sort by.
func TestReasons(t *testing.T) {
	_, entries, _ := strings.Cut(read(t, "../../../docs/operations.md"), "\n## Reasons\n")
	entries, _, _ = strings.Cut(entries, "\n## ")
	var want []string
	for _, entry := range heading.FindAllStringSubmatch(entries, -1) {
		want = append(want, strings.Trim(entry[1], "`"))
	}
	if len(want) < 10 {
		t.Fatalf("only %d reasons in the runbook", len(want))
	}
	slices.Reverse(want)
	d := newDashboard(t, dash.Config{})
	if got := words(t, d, "Reasons over time"); !slices.Equal(got, want) {
		t.Errorf("reasons %q, want %q", got, want)
	}
	for _, p := range panelsOf(d) {
		if *p.Title != "Reasons over time" {
			continue
		}
		expr := queriesOf(t, p)[0].Expr
		for code, w := range want {
			term := regexp.MustCompile(fmt.Sprintf(`\b%d \* \(liveness_processor_reason\{[^}]*reason=%q\} == 1\)`, code, w))
			if len(term.FindAllString(expr, -1)) != 1 {
				t.Errorf("%s is not number %d in %s", w, code, expr)
			}
		}
	}
}

// words are what a panel shows for the numbers from 0 on.
func words(t *testing.T, d dash.Dashboard, title string) []string {
	t.Helper()
	for _, p := range panelsOf(d) {
		if *p.Title != title {
			continue
		}
		options := p.FieldConfig.Defaults.Mappings[0].ValueMap.Options
		list := make([]string, len(options))
		for _, code := range slices.Sorted(maps.Keys(options)) {
			number, err := strconv.Atoi(code)
			if err != nil || number >= len(list) {
				t.Fatalf("%s: number %s", title, code)
			}
			if options[code].Color == nil || *options[code].Color == "" {
				t.Errorf("%s: no colour for %s", title, *options[code].Text)
			}
			list[number] = *options[code].Text
		}
		return list
	}
	t.Fatalf("no panel %s", title)
	return nil
}
