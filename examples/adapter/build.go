package main

import (
	"context"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
)

// What the run consists of, beside this program.
const (
	commandPackage  = "github.com/loopvitals/loopvitals/cmd/loopvitals"
	consumerPackage = "github.com/loopvitals/loopvitals/examples/consumer"
)

// build compiles a program into the folder, as a user does. Its working directory
// has to be in the module of the examples.
func build(ctx context.Context, folder, pkg string) (program string, err error) {
	program = filepath.Join(folder, path.Base(pkg))
	output, err := exec.CommandContext(ctx, "go", "build", "-o", program, pkg).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, output)
	}
	return program, nil
}
