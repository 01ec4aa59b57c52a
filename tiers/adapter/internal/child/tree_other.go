//go:build !unix

package child

import (
	"os"
	"os/exec"
)

// isolate does nothing: this system has no process groups.
func isolate(*exec.Cmd) {}

// killTree kills the command alone.
func killTree(p *os.Process) error { return p.Kill() }
