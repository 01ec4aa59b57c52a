//go:build system && linux

package systemtest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSystemForeignClone builds a clone that belongs to somebody else, without a
// C compiler and without flags in the environment. Git refuses to tell the
// version of such a clone, which must not fail the build.
func TestSystemForeignClone(t *testing.T) {
	const somebody = 65534
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	run(t, ".", "git", "-c", "safe.directory=*", "clone", "--quiet", "--no-hardlinks", root, clone)
	err = filepath.WalkDir(clone, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, somebody, somebody)
	})
	if err != nil {
		t.Fatalf("giving a clone away needs root: %v", err)
	}
	run(t, clone, "make", "build")
}

// run runs a command in a clean environment.
func run(t *testing.T, dir string, name string, args ...string) {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir = dir
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "GOPROXY=" + os.Getenv("GOPROXY"),
		"CC=false", "CXX=false", "GIT_CONFIG_GLOBAL=" + os.DevNull,
	}
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}
