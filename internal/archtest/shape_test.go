package archtest

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
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

// generated is the line that tells so.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// TestFilesStaySmall wants files that can be read in one go. Generated ones are not
// to be read.
func TestFilesStaySmall(t *testing.T) {
	for _, module := range moduleFolders(t) {
		files := bytes.Fields(goCommand(t, module, "list", "-e", "-find", "-f",
			`{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}} {{end}}`, "./..."))
		for _, file := range files {
			text, err := os.ReadFile(filepath.Clean(string(file)))
			if err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(text, []byte("\n")); lines > maxLines && !generated.Match(text) {
				t.Errorf("%s has %d lines, at most %d", relative(t, string(file)), lines, maxLines)
			}
		}
	}
}
