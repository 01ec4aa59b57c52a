package apitest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestExportedNamesAreDocumented wants a comment, ending as a sentence does, on
// every exported declaration.
func TestExportedNamesAreDocumented(t *testing.T) {
	for _, module := range libraryModules(t) {
		for _, l := range libraries(t, module) {
			for _, file := range l.GoFiles {
				files := token.NewFileSet()
				parsed, err := parser.ParseFile(files, filepath.Join(l.Dir, file), nil, parser.ParseComments)
				if err != nil {
					t.Fatal(err)
				}
				for _, problem := range undocumented(parsed) {
					t.Errorf("%s/%s: %s", l.folder(), file, problem)
				}
			}
		}
	}
}

// TestUndocumented shows what is accepted as documentation.
func TestUndocumented(t *testing.T) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "sample.go", `package sample

// A is documented.
const A = 1

// Both of a group.
const (
	B = 1
	C = 2
)

var (
	D = 1 // D by its line.
	E = 2
)

func F() {}

// G has no full stop
func G() {}

// T is a type.
type T struct{}

func (T) H() {}

func (t) I() {}

type t struct{}

type U struct{}
`, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"E has no comment", "F has no comment", "G: the comment does not end as a sentence", "H has no comment", "U has no comment"}
	if got := undocumented(parsed); !slices.Equal(got, want) {
		t.Errorf("undocumented = %q, want %q", got, want)
	}
}

// undocumented lists the exported declarations of file that lack a comment.
func undocumented(file *ast.File) []string {
	var problems []string
	want := func(name string, comments ...*ast.CommentGroup) {
		text := ""
		for _, c := range comments {
			text += c.Text()
		}
		text = strings.TrimSpace(text)
		switch {
		case !ast.IsExported(name):
		case text == "":
			problems = append(problems, name+" has no comment")
		case !strings.ContainsAny(text[len(text)-1:], ".:)}"):
			problems = append(problems, name+": the comment does not end as a sentence")
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(receiver(d)) {
				want(d.Name.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					want(s.Name.Name, d.Doc, s.Doc, s.Comment)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						want(name.Name, d.Doc, s.Doc, s.Comment)
					}
				}
			}
		}
	}
	return problems
}

// receiver is the name of the type a method belongs to.
func receiver(d *ast.FuncDecl) string {
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if index, ok := of.(*ast.IndexExpr); ok {
		of = index.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}
