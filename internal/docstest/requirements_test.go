package docstest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// requirement is one row of docs/requirements.md.
type requirement struct {
	number, behaviour, code string
	tests                   []string
}

var (
	numbered = regexp.MustCompile(`^\| ?([SC]\d*\.\d+|X\d+|CASE-\d+|[AFR]\d+) ?\|`)
	testName = regexp.MustCompile(`^(Test|Fuzz|Example|Benchmark)\w*$`)
)

// TestRequirementsNameTests wants every row to say what is to hold, where it is
// done, and which tests, that exist, show it.
func TestRequirementsNameTests(t *testing.T) {
	exist := testNames(t)
	for _, r := range requirements(t, read(t, "docs/requirements.md")) {
		if r.behaviour == "" {
			t.Errorf("%s: says no behaviour", r.number)
		}
		if len(r.tests) == 0 {
			t.Errorf("%s: names no test", r.number)
		}
		for _, name := range r.tests {
			if !exist[name] {
				t.Errorf("%s: no test is called %s", r.number, name)
			}
		}
		for _, path := range codePaths(r.code) {
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s: code: %v", r.number, err)
			}
		}
	}
}

// TestRequirementsAreComplete wants exactly one row a number.
func TestRequirementsAreComplete(t *testing.T) {
	var want []string
	numbers := func(format string, ranges ...[2]int) {
		for _, r := range ranges {
			for n := r[0]; n <= r[1]; n++ {
				want = append(want, fmt.Sprintf(format, n))
			}
		}
	}
	numbers("S1.%d", [2]int{1, 55})
	numbers("S2.%d", [2]int{1, 19})
	numbers("A%d", [2]int{1, 13})
	numbers("S3.%d", [2]int{1, 26})
	numbers("S4.%d", [2]int{1, 48})
	numbers("S5.%d", [2]int{1, 39})
	numbers("C.%d", [2]int{5, 6})
	numbers("X%d", [2]int{1, 30})
	numbers("CASE-%d", [2]int{101, 120})
	numbers("F%d", [2]int{1, 56})
	numbers("R%d", [2]int{2, 2}, [2]int{27, 28})

	got := map[string]int{}
	for _, r := range requirements(t, read(t, "docs/requirements.md")) {
		got[r.number]++
		if !slices.Contains(want, r.number) {
			t.Errorf("%s: not a number of this list; add its range here", r.number)
		}
	}
	for _, number := range want {
		if got[number] != 1 {
			t.Errorf("%s: %d rows, want 1", number, got[number])
		}
	}
}

// TestRequirementRows shows how a row is read.
func TestRequirementRows(t *testing.T) {
	text := "| number | behaviour |\n|---|---|\n" +
		"| S5.13 | Silence is skipped. | `liveness/judge.go` | TestA, TestB/one case |\n"
	want := requirement{"S5.13", "Silence is skipped.", "`liveness/judge.go`", []string{"TestA", "TestB"}}
	got := requirements(t, text)
	if len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(want) {
		t.Errorf("rows %v, want %v", got, want)
	}
	if paths := codePaths("`liveness/judge.go`, `tiers/`, `Policy.Judge`"); !slices.Equal(paths, []string{"liveness/judge.go", "tiers/"}) {
		t.Errorf("code paths %q", paths)
	}
}

// requirements reads the numbered rows of all tables in text.
func requirements(t *testing.T, text string) []requirement {
	t.Helper()
	var rows []requirement
	for line := range strings.Lines(text) {
		if !numbered.MatchString(line) {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 {
			t.Errorf("%d cells, want 4: %s", len(cells), line)
			continue
		}
		r := requirement{
			number:    strings.TrimSpace(cells[0]),
			behaviour: strings.TrimSpace(cells[1]),
			code:      strings.TrimSpace(cells[2]),
		}
		for name := range strings.SplitSeq(cells[3], ",") {
			name, _, _ = strings.Cut(strings.Trim(strings.TrimSpace(name), "`"), "/")
			if name == "" {
				continue
			}
			if !testName.MatchString(name) {
				t.Errorf("%s: %q is no test's name", r.number, name)
			}
			r.tests = append(r.tests, name)
		}
		rows = append(rows, r)
	}
	return rows
}

// codePaths picks the files and folders out of a cell; names of functions and
// types have no slash.
func codePaths(cell string) []string {
	var paths []string
	for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		if strings.Contains(quoted[1], "/") {
			paths = append(paths, quoted[1])
		}
	}
	return paths
}

// testNames collects the tests, examples, benchmarks and fuzz targets of every
// module, whatever their build tags.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, file := range files(t, "_test.go") {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, declaration := range parsed.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if ok && f.Recv == nil && testName.MatchString(f.Name.Name) {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
