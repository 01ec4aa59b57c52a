//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is a child: this same program with another verb.
type process struct {
	name    string
	command *exec.Cmd
	log     string
	ended   chan struct{} // closed once it has been waited for
	err     error         // how it ended; read after ended
}

// spawn starts a child that writes its log to a file in the folder. The kernel
// kills it when this process dies in whatever way, even if it is stopped.
func spawn(folder, name string, attributes syscall.SysProcAttr, args ...string) (*process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{name: name, log: filepath.Join(folder, name+".log"), ended: make(chan struct{})}
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

func (p *process) pid() int { return p.command.Process.Pid }

func (p *process) signal(s syscall.Signal) error {
	if err := p.command.Process.Signal(s); err != nil {
		return fmt.Errorf("%s: %v: %w", p.name, s, err)
	}
	return nil
}

// kill is SIGKILL, and waits until the process is gone.
func (p *process) kill() {
	if p != nil {
		_ = p.command.Process.Kill()
		<-p.ended
	}
}

// exit waits until the process has ended by itself, with status 0.
func (p *process) exit(ctx context.Context, limit time.Duration) error {
	select {
	case <-p.ended:
		if p.err != nil {
			return fmt.Errorf("%s: %w", p.name, p.err)
		}
		return nil
	case <-time.After(limit):
		return fmt.Errorf("%s: still there after %v", p.name, limit)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// tail is the end of its log.
func (p *process) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil || len(text) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	lines = lines[max(0, len(lines)-12):]
	return "    " + p.name + ": " + strings.Join(lines, "\n    "+p.name+": ") + "\n"
}

// poll asks until yes, the limit or the end of ctx.
func poll(ctx context.Context, limit, every time.Duration, yes func() bool) error {
	deadline := time.Now().Add(limit)
	for !yes() {
		if time.Now().After(deadline) {
			return errTimeout
		}
		if err := pause(ctx, every); err != nil {
			return err
		}
	}
	return nil
}

var errTimeout = errors.New("not within the time limit")

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
