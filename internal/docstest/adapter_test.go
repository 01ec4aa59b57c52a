package docstest

import (
	"regexp"
	"strings"
	"testing"
)

// TestEveryLackHasARow wants a row in the adapter's guide for each thing that its
// log can name as missing, in the order in which they are asked for, and none for
// anything else.
func TestEveryLackHasARow(t *testing.T) {
	var want []string
	for _, m := range regexp.MustCompile(`(?m)^\tlacks\w+ +lack += "(\w+)"`).FindAllStringSubmatch(read(t, "tiers/adapter/judge.go"), -1) {
		want = append(want, m[1])
	}
	if len(want) < 5 {
		t.Fatalf("tiers/adapter/judge.go names %d lacks: is this still where they are?", len(want))
	}
	_, table, found := strings.Cut(read(t, "docs/adapter.md"), "\n| lacks |")
	if !found {
		t.Fatal("docs/adapter.md has no table of lacks")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var got []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(table, -1) {
		got = append(got, m[1])
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("docs/adapter.md explains %v, the log says %v", got, want)
	}
}
