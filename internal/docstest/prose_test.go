package docstest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNoMachinePaths keeps files readable on every machine: no path of the
// machine they were written on, and nothing left for later.
func TestNoMachinePaths(t *testing.T) {
	// Split, so that this file passes its own test.
	for _, pattern := range []string{`/wo` + `rk\b`, `/tm` + `p\b`, `/ro` + `ot/`, `/hom` + `e/`, `\.\./sha` + `red`, `(^|[^|.])\bTO` + `DO\b`, `\bFIX` + `ME\b`} {
		refused := regexp.MustCompile(pattern)
		for _, file := range files(t, ".go", ".md", ".yml", ".txt", ".mod", "Makefile", ".ci/run") {
			for number, line := range strings.Split(read(t, file), "\n") {
				if refused.MatchString(line) {
					t.Errorf("%s:%d: %s", file, number+1, strings.TrimSpace(line))
				}
			}
		}
	}
}

// TestLinksLeadSomewhere follows every relative link of the documentation.
func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, file := range files(t, ".md") {
		for _, match := range link.FindAllStringSubmatch(read(t, file), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			if target == "" {
				target = path.Base(file)
			}
			linked := path.Join(path.Dir(file), target)
			if _, err := os.Stat(filepath.Join(root, linked)); err != nil {
				t.Errorf("%s: %s leads nowhere", file, match[1])
				continue
			}
			if anchor != "" && !hasHeading(read(t, linked), anchor) {
				t.Errorf("%s: %s has no such heading", file, match[1])
			}
		}
	}
}

// hasHeading says whether text has a heading whose anchor is the given one:
// lower case, spaces as hyphens, marks left out.
func hasHeading(text, anchor string) bool {
	marks := regexp.MustCompile(`[^\w\- ]`)
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		made := marks.ReplaceAllString(strings.ToLower(heading[1]), "")
		if strings.ReplaceAll(made, " ", "-") == anchor {
			return true
		}
	}
	return false
}
