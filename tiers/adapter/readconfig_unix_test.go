//go:build unix

package adapter

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReadConfigPipe must not wait for a writer that never comes.
func TestReadConfigPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	wantConfigError(t, path, invalid("config", path, "must be a regular file").Error())
}
