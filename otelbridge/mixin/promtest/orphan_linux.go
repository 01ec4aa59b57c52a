package promtest

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel kill the program when this process dies before it
// could stop it, as a test does that runs into its timeout.
func dieWithParent(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
