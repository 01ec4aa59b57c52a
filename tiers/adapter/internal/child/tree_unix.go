//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// isolate gives the command a process group of its own.
func isolate(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killTree kills the command and all that stayed in its group. After the command
// is reaped, the number is still the group's as long as somebody is in it.
func killTree(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
