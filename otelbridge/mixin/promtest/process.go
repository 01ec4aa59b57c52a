package promtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"time"
)

// stopPatience is how long a program may take to end when asked to.
const stopPatience = 10 * time.Second

// Process is a program that runs until it is stopped, and what it printed.
type Process struct {
	name    string
	command *exec.Cmd
	log     tail
	ended   chan struct{} // closed when it has ended and was waited for
	err     error         // how; to be read after ended
}

// StartProcess starts a command, which must not have been started, and whose
// output it takes over. The name is for messages. Whoever starts a process must
// call Stop.
func StartProcess(name string, command *exec.Cmd) (*Process, error) {
	p := &Process{name: name, command: command, ended: make(chan struct{})}
	command.Stdout, command.Stderr = &p.log, &p.log
	dieWithParent(command)
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("promtest: start %s: %w", name, err)
	}
	go func() {
		p.err = command.Wait()
		close(p.ended)
	}()
	return p, nil
}

// Await waits until the program has printed what the pattern matches, and
// returns its first group. It fails when ctx or the program ends before that.
func (p *Process) Await(ctx context.Context, pattern *regexp.Regexp) (string, error) {
	var found string
	err := p.await(ctx, "print "+pattern.String(), func() bool {
		groups := pattern.FindStringSubmatch(p.log.String())
		if groups != nil {
			found = groups[1]
		}
		return groups != nil
	})
	return found, err
}

// await asks until yes; what says what is waited for.
func (p *Process) await(ctx context.Context, what string, yes func() bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !yes() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return p.failed("did not "+what, context.Cause(ctx))
		case <-p.ended:
			return p.failed("ended before it could "+what, p.err)
		}
	}
	return nil
}

// failed is an error with the end of the log in it.
func (p *Process) failed(what string, err error) error {
	return fmt.Errorf("promtest: %s %s: %w\n%s", p.name, what, err, p.log.String())
}

// Signal sends a signal, such as os.Kill, and does not wait for what follows.
func (p *Process) Signal(s os.Signal) error { return p.command.Process.Signal(s) }

// Ended is closed when the program has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// PID is the number of the process.
func (p *Process) PID() int { return p.command.Process.Pid }

// Log is the end of what the program printed, some 64 KiB at most.
func (p *Process) Log() string { return p.log.String() }

// Stop asks the program to end, kills it when that takes longer than 10 s, and
// waits for it. It returns an error, with the end of the log, when the program
// ended in another way than with status 0 or by a signal that somebody sent.
// Later calls return the same.
func (p *Process) Stop() error {
	_ = p.Signal(syscall.SIGTERM)
	timer := time.NewTimer(stopPatience)
	defer timer.Stop()
	select {
	case <-p.ended:
	case <-timer.C:
		_ = p.Signal(os.Kill)
		<-p.ended
	}
	var exit *exec.ExitError
	if p.err == nil || errors.As(p.err, &exit) && exit.ExitCode() < 0 {
		return nil
	}
	return p.failed("ended", p.err)
}
