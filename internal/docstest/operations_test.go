package docstest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/liveness"
)

// TestEveryReasonHasAnEntry wants a section in the operations guide for each
// reason, since that is what alerts link to, and none for anything else.
func TestEveryReasonHasAnEntry(t *testing.T) {
	_, reasons, found := strings.Cut(read(t, "docs/operations.md"), "\n## Reasons\n")
	if !found {
		t.Fatal("docs/operations.md has no chapter Reasons")
	}
	reasons, _, _ = strings.Cut(reasons, "\n## ")
	entries := map[string]string{}
	for _, section := range strings.Split(reasons, "\n### ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		entries[strings.Trim(title, "`")] = body
	}
	known := 0
	for r := liveness.Reason(0); r.String() != fmt.Sprintf("reason_%d", r); r++ {
		known++
		body, ok := entries[r.String()]
		if !ok {
			t.Errorf("no entry for %s", r)
		}
		for _, part := range []string{"**Means.**", "**Look first.**", "**Do.**", "**False alarm.**"} {
			if ok && !strings.Contains(body, part) {
				t.Errorf("%s: the entry has no part %s", r, part)
			}
		}
	}
	if len(entries) != known {
		t.Errorf("%d entries for %d reasons", len(entries), known)
	}
}

// leastWords is how much a section has to say to be more than a heading.
const leastWords = 30

// TestWarningsAreDocumented finds the requirements that can only be met by
// telling people, by the number at the end of a heading, and wants text there.
func TestWarningsAreDocumented(t *testing.T) {
	for _, w := range []struct{ page, number string }{
		{"docs/adapter.md", "S2.19"},
		{"docs/operations.md", "S1.53"},
		{"docs/operations.md", "S1.55"},
		{"docs/operations.md", "S4.37"},
		{"docs/operations.md", "S5.39"},
		{"docs/redundancy.md", "S4.7"},
		{"docs/redundancy.md", "S4.40"},
		{"docs/resubscribe.md", "S3.17"},
	} {
		page := read(t, w.page)
		heading := regexp.MustCompile(`(?m)^#+ .*\(` + regexp.QuoteMeta(w.number) + `\)$`)
		at := heading.FindStringIndex(page)
		if at == nil {
			t.Errorf("%s has no heading that ends in (%s)", w.page, w.number)
			continue
		}
		body, _, _ := strings.Cut(page[at[1]:], "\n#")
		if words := len(strings.Fields(body)); words < leastWords {
			t.Errorf("%s has %d words under the heading of %s, want at least %d", w.page, words, w.number, leastWords)
		}
	}
}
