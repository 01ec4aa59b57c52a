package child

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// process is a command that was started and is not reaped yet, so that its number
// is its own, and that of its group.
type process struct {
	pid   int
	pidfd int // readable once it is dead; -1 where the system has none
	out   int // its output, not blocking; -1 after the end
}

// start starts the command. All that the parent has open is closed in it.
//
// The kernel sends the death signal only for a parent that dies after it was asked
// for, which the command does between its fork and its exec. The syscall package
// closes that gap: it compares the parent before the fork and after the request,
// and the command ends itself if they differ.
func (e *engine) start() (*process, error) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	p := &process{pidfd: -1, out: pipe[0]}
	// Only the end that is read: the command may not be used to EAGAIN.
	err := unix.SetNonblock(p.out, true)
	if err == nil {
		p.pid, err = syscall.ForkExec(e.argv[0], e.argv, &syscall.ProcAttr{
			Dir:   "/",
			Env:   e.env, // none is none here, unlike in package os
			Files: []uintptr{uintptr(e.null), uintptr(pipe[1]), uintptr(e.null)},
			Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
		})
	}
	_ = unix.Close(pipe[1])
	if err != nil {
		p.release()
		return nil, err
	}
	if pidfd, err := e.pidfdOpen(p.pid, 0); err == nil {
		p.pidfd = pidfd
	}
	return p, nil
}

// dead reports whether the command has ended. It stays unreaped.
func (p *process) dead() bool {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, p.pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err != nil || info.Signo != 0
		}
	}
}

// killGroup kills all that stayed in the command's group, in one step that no fork
// can slip through, and the command itself, which may have left it. It must come
// before the command is reaped.
func (e *engine) killGroup(p *process) {
	_ = e.kill(-p.pid, unix.SIGKILL)
	_ = e.kill(p.pid, unix.SIGKILL)
}

// reap takes the status of a dead command. The number is anybody's afterwards.
func (p *process) reap() (status syscall.WaitStatus, ok bool) {
	for {
		pid, err := syscall.Wait4(p.pid, &status, syscall.WNOHANG, nil)
		if err != syscall.EINTR {
			return status, pid == p.pid
		}
	}
}

func (p *process) release() {
	if p.pidfd >= 0 {
		_ = unix.Close(p.pidfd)
	}
	if p.out >= 0 {
		_ = unix.Close(p.out)
	}
}
