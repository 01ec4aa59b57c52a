//go:build system && linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSystemUnits has systemd itself read the units. It wants to see the programs,
// so that their places are taken by some program that is there.
func TestSystemUnits(t *testing.T) {
	folder := t.TempDir()
	program, err := os.Executable()
	must(t, err)
	there := strings.NewReplacer("ExecStart="+commandPath, "ExecStart="+program, "ExecStart="+consumerPath, "ExecStart="+program)
	units := []string{"consumer.service", "consumer-adapter.service"}
	verify := []string{"verify", "--man=no"}
	for _, name := range units {
		text, err := os.ReadFile(name)
		must(t, err)
		copied := filepath.Join(folder, name)
		must(t, os.WriteFile(copied, []byte(there.Replace(string(text))), 0o644))
		verify = append(verify, copied)
	}
	// Warnings, such as of a key that it does not know, leave the exit status 0.
	if said, err := exec.CommandContext(t.Context(), "systemd-analyze", verify...).CombinedOutput(); err != nil || strings.Contains(string(said), "consumer") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, said)
	}
	// 10 is a unit that may do everything.
	for _, name := range units {
		said, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=25", filepath.Join(folder, name)).CombinedOutput()
		if err != nil {
			t.Errorf("systemd-analyze security %s: %v\n%s", name, err, said)
		}
	}
}
