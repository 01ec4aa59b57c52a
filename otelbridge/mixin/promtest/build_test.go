package promtest

import (
	"os/exec"
	"strings"
	"testing"
)

// The pins are real programs that say so.
func TestBuildMakesThePrograms(t *testing.T) {
	for program := range programs {
		t.Run(program, func(t *testing.T) {
			path, err := Build(t.Context(), program)
			if err != nil {
				t.Fatal(err)
			}
			said, err := exec.CommandContext(t.Context(), path, "--version").CombinedOutput()
			if err != nil || !strings.HasPrefix(string(said), program+", version") || !strings.Contains(string(said), programs[program].tags) {
				t.Errorf("%s --version: %v\n%s", path, err, said)
			}
		})
	}
}

func TestBuildNamesWhatItKnows(t *testing.T) {
	_, err := Build(t.Context(), "grafana")
	if want := `promtest: program "grafana": must be prometheus, promtool or alertmanager`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
