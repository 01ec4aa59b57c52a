//go:build linux

// Package process runs the parts of a trial as processes of their own, which end
// with the one that started them.
package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Process is a child.
type Process struct {
	Name    string // what it is called in errors
	command *exec.Cmd
	log     string
	ended   chan struct{} // closed once it has been waited for
	err     error         // how it ended; read after ended
}

// Spawn starts this same program with other arguments, see Start.
func Spawn(folder, name string, attributes syscall.SysProcAttr, args ...string) (*Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return Start(folder, name, attributes, program, args...)
}

// Start starts a child that writes its log to a file in the folder. The kernel
// kills it when this process dies in whatever way, even if it is stopped.
func Start(folder, name string, attributes syscall.SysProcAttr, program string, args ...string) (*Process, error) {
	p := &Process{Name: name, log: filepath.Join(folder, name+".log"), ended: make(chan struct{})}
	file, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p.command = exec.Command(program, args...)
	p.command.Stdout, p.command.Stderr = file, file
	attributes.Pdeathsig = syscall.SIGKILL
	attributes.Setpgid = true // Ctrl-C is for this process, which ends its children itself
	p.command.SysProcAttr = &attributes
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		p.err = p.command.Wait()
		close(p.ended)
	}()
	return p, nil
}

// Pid is the number that the kernel knows it by.
func (p *Process) Pid() int { return p.command.Process.Pid }

// Signal sends a signal.
func (p *Process) Signal(s syscall.Signal) error {
	if err := p.command.Process.Signal(s); err != nil {
		return fmt.Errorf("%s: %v: %w", p.Name, s, err)
	}
	return nil
}

// Kill is SIGKILL, and waits until the process is gone.
func (p *Process) Kill() {
	if p != nil {
		_ = p.command.Process.Kill()
		<-p.ended
	}
}

// Exit waits until the process has ended by itself, with status 0.
func (p *Process) Exit(ctx context.Context, limit time.Duration) error {
	select {
	case <-p.ended:
		if p.err != nil {
			return fmt.Errorf("%s: %w", p.Name, p.err)
		}
		return nil
	case <-time.After(limit):
		return fmt.Errorf("%s: still there after %v", p.Name, limit)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Running tells whether it has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Listens waits until somebody listens at the address, HOST:PORT.
func (p *Process) Listens(ctx context.Context, address string) error {
	err := Poll(ctx, 30*time.Second, 5*time.Millisecond, func() bool {
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err == nil || !p.Running()
	})
	if err == nil && !p.Running() {
		err = errors.New("it has ended")
	}
	if err != nil {
		return fmt.Errorf("%s does not listen on %s: %w\n%s", p.Name, address, err, p.Tail())
	}
	return nil
}

// Log is all that it has said so far.
func (p *Process) Log() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Tail is the end of its log.
func (p *Process) Tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil || len(text) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	lines = lines[max(0, len(lines)-12):]
	return "    " + p.Name + ": " + strings.Join(lines, "\n    "+p.Name+": ") + "\n"
}
