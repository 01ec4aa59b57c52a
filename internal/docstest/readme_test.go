package docstest

import (
	"strings"
	"testing"
)

// TestReadmeQuickStart compares the README's quick start with the marked lines
// of a program that compiles and is tested.
func TestReadmeQuickStart(t *testing.T) {
	program := read(t, "examples/quickstart/main.go")
	_, marked, begins := strings.Cut(program, "// README:begin\n")
	marked, _, ends := strings.Cut(marked, "\t// README:end\n")
	if !begins || !ends {
		t.Fatal("examples/quickstart/main.go has no marked lines")
	}
	marked = strings.ReplaceAll("\n"+marked, "\n\t", "\n")
	if !strings.Contains(read(t, "README.md"), "```go"+marked+"```\n") {
		t.Errorf("the README's quick start is not that of examples/quickstart:\n%s", marked)
	}
}

// TestReadmeCommands wants the two commands that are all a newcomer types.
func TestReadmeCommands(t *testing.T) {
	readme, makefile := read(t, "README.md"), read(t, "Makefile")
	for _, target := range []string{"demo", "test"} {
		if !strings.Contains(readme, "\nmake "+target) {
			t.Errorf("README.md does not show make %s", target)
		}
		if !strings.Contains(makefile, "\n"+target+":") {
			t.Errorf("Makefile has no target %s", target)
		}
	}
	if !strings.Contains(read(t, ".ci/run"), " test ") {
		t.Error(".ci/run does not run the README's test command")
	}
}
