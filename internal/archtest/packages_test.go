package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the repository's root: tests run in their package's folder.
const root = "../.."

// pkg is one folder with Go files, of whichever module and whichever build
// tags.
type pkg struct {
	folder string // relative to the root, with slashes; "." for the root
	module string // folder of its go.mod, in the same form
	name   string
	doc    string
	code   []imported
	tests  []imported
}

// imported is one import of one file, so that a failure can name the line to
// change.
type imported struct{ path, file string }

// nested says whether the package belongs to a module other than the root's.
func (p pkg) nested() bool { return p.module != "." }

// moduleFolders finds every go.mod, the root's first.
func moduleFolders(t *testing.T) []string {
	t.Helper()
	var folders []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if entry.Name() == "go.mod" {
			folder, err := filepath.Rel(root, filepath.Dir(path))
			folders = append(folders, filepath.ToSlash(folder))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(folders)
	if len(folders) == 0 || folders[0] != "." {
		t.Fatalf("modules %q: the root's go.mod is missing", folders)
	}
	return folders
}

// goCommand runs the go command in folder and returns what it printed.
func goCommand(t *testing.T, folder string, args ...string) []byte {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir = filepath.Join(root, folder)
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go %s in %s: %v\n%s", strings.Join(args, " "), folder, err, stderr.Bytes())
	}
	return out
}

// packages lists every package of every module.
func packages(t *testing.T) []pkg {
	t.Helper()
	var all []pkg
	for _, module := range moduleFolders(t) {
		all = append(all, modulePackages(t, module)...)
	}
	return all
}

// modulePackages lists the packages of one module. The go command only finds
// them: imports are read from the files, so that nothing needs to be
// downloaded and files excluded by a build tag are judged too.
func modulePackages(t *testing.T, module string) []pkg {
	t.Helper()
	var found []pkg
	decoder := json.NewDecoder(bytes.NewReader(goCommand(t, module, "list", "-e", "-find", "-json", "./...")))
	for {
		var listed struct {
			Dir, Name, Doc                                    string
			GoFiles, CgoFiles, IgnoredGoFiles, InvalidGoFiles []string
			TestGoFiles, XTestGoFiles                         []string
		}
		err := decoder.Decode(&listed)
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		p := pkg{folder: relative(t, listed.Dir), module: module, name: listed.Name, doc: listed.Doc}
		files := slices.Concat(listed.GoFiles, listed.CgoFiles, listed.IgnoredGoFiles, listed.InvalidGoFiles,
			listed.TestGoFiles, listed.XTestGoFiles)
		for _, file := range files {
			imports := fileImports(t, filepath.Join(listed.Dir, file))
			if strings.HasSuffix(file, "_test.go") {
				p.tests = append(p.tests, imports...)
			} else {
				p.code = append(p.code, imports...)
			}
		}
		found = append(found, p)
	}
}

// fileImports reads the import lines of one file.
func fileImports(t *testing.T, path string) []imported {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var imports []imported
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, imported{path: name, file: relative(t, path)})
	}
	return imports
}

// relative returns path from the repository's root.
func relative(t *testing.T, path string) string {
	t.Helper()
	base, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Rel(base, path)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(folder)
}
