package archtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxLines is where a file no longer holds one concept.
const maxLines = 400

// TestPackagesAreDocumented wants a package comment in every package.
func TestPackagesAreDocumented(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.code) == 0 && strings.HasSuffix(p.name, "_test") {
			continue
		}
		if p.doc == "" {
			t.Errorf("%s: package %s has no package comment", p.folder, p.name)
		}
	}
}

// TestFilesStaySmall wants files that can be read in one go.
func TestFilesStaySmall(t *testing.T) {
	for _, module := range moduleFolders(t) {
		files := bytes.Fields(goCommand(t, module, "list", "-e", "-find", "-f",
			`{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}} {{end}}`, "./..."))
		for _, file := range files {
			text, err := os.ReadFile(filepath.Clean(string(file)))
			if err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(text, []byte("\n")); lines > maxLines {
				t.Errorf("%s has %d lines, at most %d", relative(t, string(file)), lines, maxLines)
			}
		}
	}
}
