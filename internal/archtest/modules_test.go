package archtest

import (
	"encoding/json"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// goMod is the part of a go.mod that the rules speak of.
type goMod struct {
	Module  struct{ Path string }
	Require []struct{ Path string }
	Replace []struct {
		Old, New struct{ Path string }
	}
}

// readMod reads the go.mod in folder with the go command's own parser.
func readMod(t *testing.T, folder string) goMod {
	t.Helper()
	var mod goMod
	if err := json.Unmarshal(goCommand(t, folder, "mod", "edit", "-json"), &mod); err != nil {
		t.Fatal(err)
	}
	return mod
}

// TestNestedModules keeps the nested modules buildable without a network and
// without a workspace: each is named for its folder and replaces the root by
// the sources beside it.
func TestNestedModules(t *testing.T) {
	for _, folder := range moduleFolders(t)[1:] {
		mod := readMod(t, folder)
		if want := path.Join(modulePath, folder); mod.Module.Path != want {
			t.Errorf("%s: module %s, want %s: a release tag is the folder's name", folder, mod.Module.Path, want)
		}
		if covers("internal/tools/...", folder) {
			continue // it pins tools, and uses nothing of ours
		}
		up, err := filepath.Rel(filepath.Join(root, folder), root)
		if err != nil {
			t.Fatal(err)
		}
		replaced := false
		for _, r := range mod.Replace {
			replaced = replaced || r.Old.Path == modulePath && path.Clean(r.New.Path) == filepath.ToSlash(up)
		}
		if !replaced {
			t.Errorf("%s: go.mod lacks the line: replace %s => %s", folder, modulePath, up)
		}
	}
}

// TestRootModule keeps the root's requirements to what its users should carry:
// it replaces nothing, since a replace has no effect for them, and requires no
// nested module.
func TestRootModule(t *testing.T) {
	mod := readMod(t, ".")
	if mod.Module.Path != modulePath {
		t.Errorf("module %s, want %s", mod.Module.Path, modulePath)
	}
	for _, r := range mod.Replace {
		t.Errorf("go.mod replaces %s: users of the module would get something else", r.Old.Path)
	}
	for _, r := range mod.Require {
		if strings.HasPrefix(r.Path, modulePath) {
			t.Errorf("go.mod requires %s: arrows point from nested modules to the root only", r.Path)
		}
	}
}
