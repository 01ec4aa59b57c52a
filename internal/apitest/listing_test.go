package apitest

import (
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the listings in api/")

// TestAPI compares the exported declarations of every public package with
// api/<folder>.txt.
func TestAPI(t *testing.T) {
	current := map[string]bool{}
	for _, module := range libraryModules(t) {
		for folder, p := range load(t, module) {
			if folder == modulePath {
				continue // the root package declares nothing
			}
			file := filepath.Join(root, "api", filepath.FromSlash(folder)+".txt")
			current[file] = true
			compare(t, file, strings.Join(listing(p), "\n")+"\n")
		}
	}
	removeOthers(t, current)
}

// compare reports lines that were added and lines that are gone, or writes them
// with -update.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%v: run make api-update and review the new listing", err)
		return
	}
	want := string(text)
	if got == want {
		return
	}
	t.Errorf("%s differs; if the change is meant, run make api-update", file)
	before, after := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range before {
		if !slices.Contains(after, line) {
			t.Logf("gone:  %s", line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			t.Logf("added: %s", line)
		}
	}
}

// removeOthers reports listings of packages that no longer exist, or deletes
// them with -update.
func removeOthers(t *testing.T, current map[string]bool) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, "api"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".txt" || current[path] {
			return err
		}
		if *update {
			return os.Remove(path)
		}
		t.Errorf("%s lists a package that does not exist", path)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// listing describes every exported declaration of p in one line each, sorted.
func listing(p *types.Package) []string {
	var lines []string
	for _, name := range p.Scope().Names() {
		object := p.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		switch object := object.(type) {
		case *types.Const:
			lines = append(lines, fmt.Sprintf("const %s %s = %s", name, typeName(p, object.Type()), value(object)))
		case *types.TypeName:
			lines = append(lines, typeLines(p, object)...)
		default:
			lines = append(lines, types.ObjectString(object, within(p)))
		}
	}
	slices.Sort(lines)
	return lines
}

// value is a constant's value, durations in words.
func value(c *types.Const) string {
	if n, exact := constant.Int64Val(constant.ToInt(c.Val())); exact && types.TypeString(c.Type(), nil) == "time.Duration" {
		return time.Duration(n).String()
	}
	return c.Val().String()
}

// typeLines describes a type, its exported fields and its exported methods.
func typeLines(p *types.Package, object *types.TypeName) []string {
	if object.IsAlias() {
		return []string{fmt.Sprintf("type %s = %s", object.Name(), typeName(p, types.Unalias(object.Type())))}
	}
	full := typeName(p, object.Type())
	switch under := object.Type().Underlying().(type) {
	case *types.Interface:
		return interfaceLines(p, full, object.Name(), under)
	case *types.Struct:
		lines := []string{"type " + full + " struct"}
		for field := range under.Fields() {
			if field.Exported() {
				lines = append(lines, fmt.Sprintf("field %s.%s %s", object.Name(), field.Name(), typeName(p, field.Type())))
			}
		}
		return append(lines, methodLines(p, object)...)
	default:
		return append([]string{fmt.Sprintf("type %s %s", full, typeName(p, under))}, methodLines(p, object)...)
	}
}

// interfaceLines lists an interface's exported methods; one that others cannot
// implement is marked, since adding a method to it breaks nobody.
func interfaceLines(p *types.Package, full, name string, under *types.Interface) []string {
	head := "type " + full + " interface"
	var lines []string
	for method := range under.Methods() {
		if !method.Exported() {
			head = "type " + full + " interface, sealed"
			continue
		}
		lines = append(lines, fmt.Sprintf("method %s.%s%s", name, method.Name(), signature(p, method)))
	}
	return append(lines, head)
}

// methodLines lists the exported methods, promoted ones included. The receiver
// is a pointer where only a pointer has the method.
func methodLines(p *types.Package, object *types.TypeName) []string {
	onValue := types.NewMethodSet(object.Type())
	var lines []string
	for selection := range types.NewMethodSet(types.NewPointer(object.Type())).Methods() {
		method := selection.Obj()
		if !method.Exported() {
			continue
		}
		receiver := object.Name()
		if onValue.Lookup(p, method.Name()) == nil {
			receiver = "*" + receiver
		}
		lines = append(lines, fmt.Sprintf("method (%s) %s%s", receiver, method.Name(), signature(p, method)))
	}
	return lines
}

// signature is a method's parameters and results.
func signature(p *types.Package, method types.Object) string {
	return strings.TrimPrefix(typeName(p, method.Type()), "func")
}

// typeName writes a type as p's own sources would.
func typeName(p *types.Package, t types.Type) string { return types.TypeString(t, within(p)) }

// within leaves out p's own name and shortens the others'.
func within(p *types.Package) types.Qualifier {
	return func(other *types.Package) string {
		if other == p {
			return ""
		}
		return other.Name()
	}
}

// TestListing shows the form of each kind of line on a package made here.
func TestListing(t *testing.T) {
	want := []string{
		"const Limit untyped int = 3",
		"field Config.Size int",
		"func New[T any](first T) *Config",
		"method (*Config) Grow(by int) (n int, err error)",
		"method (Config) Len() int",
		"method Option.Name() string",
		"type Alias = Config",
		"type Config struct",
		"type Kind uint8",
		"type Option interface, sealed",
		"var Default Config",
	}
	p := checked(t, `package sample
const Limit = 3
const hidden = 4
type Kind uint8
type Config struct { Size int; hidden bool }
type Alias = Config
type Option interface { Name() string; apply() }
var Default Config
func New[T any](first T) *Config { return nil }
func (c *Config) Grow(by int) (n int, err error) { return }
func (c Config) Len() int { return c.Size }
func (c Config) grown() {}
`)
	if got := listing(p); !slices.Equal(got, want) {
		t.Errorf("listing:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// checked type-checks one file of source.
func checked(t *testing.T, source string) *types.Package {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "sample.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check("sample", files, []*ast.File{parsed}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
