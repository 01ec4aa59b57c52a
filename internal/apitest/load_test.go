package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	// root is the repository's root: tests run in their package's folder.
	root       = "../.."
	modulePath = "github.com/loopvitals/loopvitals"
)

// listed is what the go command says of one package.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles                       []string
	DepOnly                       bool
}

// folder is where the package lies, relative to the root.
func (l listed) folder() string { return strings.TrimPrefix(l.ImportPath, modulePath+"/") }

// libraryModules are the modules that others import; examples and benchmarks
// are programs, and promtest is tests.
func libraryModules(t *testing.T) []string {
	t.Helper()
	modules := []string{"."}
	for _, pattern := range []string{"check/*/go.mod", "check/*/*/go.mod", "tiers/*/go.mod", "otelbridge/*/*/go.mod"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			module, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Base(module) != "promtest" {
				modules = append(modules, module)
			}
		}
	}
	return modules
}

// list runs go list in one module.
func list(t *testing.T, module string, args ...string) []listed {
	t.Helper()
	command := exec.Command("go", append([]string{"list", "-json=ImportPath,Name,Dir,Export,GoFiles,DepOnly"}, args...)...)
	command.Dir = filepath.Join(root, module)
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list in %s: %v\n%s", module, err, stderr.Bytes())
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		err := decoder.Decode(&l)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
}

// libraries finds the packages of one module that others can import.
func libraries(t *testing.T, module string) []listed {
	t.Helper()
	var public []listed
	for _, l := range list(t, module, "-find", "./...") {
		internal := strings.Contains("/"+l.ImportPath+"/", "/internal/")
		if l.Name != "main" && !internal && len(l.GoFiles) > 0 {
			public = append(public, l)
		}
	}
	return public
}

// load type-checks the public packages of one module: their own files from
// source, which keeps the names of parameters, and what they import from the
// export data of a build.
func load(t *testing.T, module string) map[string]*types.Package {
	t.Helper()
	args := []string{"-export", "-deps"}
	for _, l := range libraries(t, module) {
		args = append(args, l.ImportPath)
	}
	exports := map[string]string{}
	var wanted []listed
	for _, l := range list(t, module, args...) {
		exports[l.ImportPath] = l.Export
		if !l.DepOnly {
			wanted = append(wanted, l)
		}
	}
	files := token.NewFileSet()
	config := types.Config{Importer: importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	})}
	packages := map[string]*types.Package{}
	for _, l := range wanted {
		var parsed []*ast.File
		for _, name := range l.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
		p, err := config.Check(l.ImportPath, files, parsed, nil)
		if err != nil {
			t.Fatal(err)
		}
		packages[l.folder()] = p
	}
	return packages
}
