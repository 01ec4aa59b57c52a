package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"
)

// child is this same program with a verb, as a process of its own.
type child struct {
	verb    string
	address string
	command *exec.Cmd
	log     tail
	ended   chan struct{}
}

func spawn(verb, address string, args ...string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{verb: verb, address: address, ended: make(chan struct{})}
	c.command = exec.Command(program, append([]string{verb, "-address", address}, args...)...)
	c.command.Stdout, c.command.Stderr = &c.log, &c.log
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", verb, err)
	}
	go func() {
		_ = c.command.Wait()
		close(c.ended)
	}()
	return c, nil
}

// kill is kill -9.
func (c *child) kill() {
	_ = c.command.Process.Kill()
	<-c.ended
}

// listens waits until the child does, or any other process at its address.
func (c *child) listens(ctx context.Context) error {
	err := await(ctx, func() bool {
		conn, err := net.DialTimeout("tcp", c.address, time.Second)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil || c.hasEnded()
	})
	if err == nil && c.hasEnded() {
		err = errEnded
	}
	if err != nil {
		return fmt.Errorf("%s on %s: %w\n%s", c.verb, c.address, err, c.log.String())
	}
	return nil
}

func (c *child) hasEnded() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// patience is how long anything is waited for, on a slow machine.
const patience = 30 * time.Second

func await(ctx context.Context, yes func() bool) error {
	limit := time.After(patience)
	for !yes() {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-limit:
			return fmt.Errorf("not within %v", patience)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailSize; extra > 0 {
		t.text = bytes.Clone(t.text[extra:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
