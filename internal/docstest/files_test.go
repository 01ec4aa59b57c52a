package docstest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the repository's root: tests run in their package's folder.
const root = "../.."

// read returns the text of a file given from the root.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// files lists, from the root, all files whose name ends in one of the endings.
func files(t *testing.T, endings ...string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == ".git" {
			return fs.SkipDir
		}
		matches := func(ending string) bool { return strings.HasSuffix(path, ending) }
		if entry.IsDir() || !slices.ContainsFunc(endings, matches) {
			return nil
		}
		file, err := filepath.Rel(root, path)
		found = append(found, filepath.ToSlash(file))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
