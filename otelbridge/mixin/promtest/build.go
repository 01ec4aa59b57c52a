package promtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// module is this module, which must be the main module where Build is called,
// or be required by that one.
const module = "github.com/loopvitals/loopvitals/otelbridge/mixin/promtest"

// The programs that Build knows.
const (
	PrometheusProgram   = "prometheus"
	PromtoolProgram     = "promtool"
	AlertmanagerProgram = "alertmanager"
)

// pinned says where the version of a program is pinned, and how it is built.
type pinned struct {
	folder string // of the go.mod that has it as a tool, from this module's
	path   string
	tags   string
}

var programs = map[string]pinned{
	// Without the clients of a dozen clouds, none of which is asked for targets
	// here, there is a third less to compile.
	PrometheusProgram:   {".", "github.com/prometheus/prometheus/cmd/prometheus", "remove_all_sd"},
	PromtoolProgram:     {".", "github.com/prometheus/prometheus/cmd/promtool", "remove_all_sd"},
	AlertmanagerProgram: {"../../../internal/tools/alertmanager", "github.com/prometheus/alertmanager/cmd/alertmanager", ""},
}

// Build returns the path of prometheus, promtool or alertmanager in its pinned
// version, and compiles it where that was not done yet: minutes the first time,
// a second or two from then on. It may be called by several processes at once,
// and anywhere inside this module.
//
// The executable lies in the build cache of the go command, which keeps it while
// it is used now and then, and so needs no care.
func Build(ctx context.Context, program string) (path string, err error) {
	pin, known := programs[program]
	if !known {
		return "", fmt.Errorf("promtest: program %q: must be %s, %s or %s", program,
			PrometheusProgram, PromtoolProgram, AlertmanagerProgram)
	}
	here, err := Folder(ctx)
	if err != nil {
		return "", err
	}
	// The go command can build a program, put it into its cache and run it, but
	// not say where it is. With -exec another program is run in its place, and
	// echo prints the path. That is the one in the cache from the second time
	// on; go tool -n would be simpler, and leaves out the tags.
	for range 2 {
		path, err = GoCommand(ctx, filepath.Join(here, pin.folder), "run", "-tags="+pin.tags, "-exec=echo", pin.path)
		if err != nil {
			return "", err
		}
		if _, err = os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("promtest: build %s: %w", program, err)
}

// Folder returns where the sources of this module are.
func Folder(ctx context.Context) (string, error) {
	return GoCommand(ctx, "", "list", "-m", "-f", "{{.Dir}}", module)
}

// GoCommand runs the go command in a folder and returns what it prints. The
// caller's environment does not change what is built: no workspace, no C compiler
// of the race detector.
func GoCommand(ctx context.Context, folder string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	// Interrupted, the go command ends its compilers and removes its files.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("promtest: go %s: %w\n%s", strings.Join(args, " "), errors.Join(ctx.Err(), err), stderr.Bytes())
	}
	return strings.TrimSpace(stdout.String()), nil
}
