//go:build linux

package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
	"github.com/loopvitals/loopvitals/examples/pair/freeport"
)

// nodeName is what the node is called, by itself and by the adapter.
const nodeName = "consumer-1"

// stage is all that runs: the consumer, and adapters beside it.
type stage struct {
	folder     string
	consumer   string // the programs
	loopvitals string
	self       string

	health, ingress string // addresses of the consumer
	client          client
	node            *process.Process
	started         []*process.Process // all of all times
}

// newStage builds the programs, and starts nothing.
func newStage(ctx context.Context, folder string) (s *stage, err error) {
	s = &stage{folder: folder, client: newClient()}
	if s.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if s.consumer, err = build(ctx, folder, consumerPackage); err != nil {
		return nil, err
	}
	if s.loopvitals, err = build(ctx, folder, commandPackage); err != nil {
		return nil, err
	}
	if s.health, err = freeport.Address("127.0.0.1"); err != nil {
		return nil, err
	}
	if s.ingress, err = freeport.Address("127.0.0.1"); err != nil {
		return nil, err
	}
	return s, os.WriteFile(s.token(), []byte(rand.Text()+"\n"), 0o600)
}

func (s *stage) socket() string { return filepath.Join(s.folder, "observe.sock") }
func (s *stage) token() string  { return filepath.Join(s.folder, "token") }
func (s *stage) clock() string  { return filepath.Join(s.folder, "clock") }

// start starts a program under a name of its own.
func (s *stage) start(name, program string, args ...string) (*process.Process, error) {
	name = fmt.Sprintf("%02d-%s", len(s.started)+1, name)
	p, err := process.Start(s.folder, name, syscall.SysProcAttr{}, program, args...)
	if err == nil {
		s.started = append(s.started, p)
	}
	return p, err
}

// bear starts the node, and waits until it can be asked.
func (s *stage) bear(ctx context.Context) (err error) {
	if s.node, err = s.start("node", s.consumer, "-serve="+s.health, "-ingress="+s.ingress,
		"-node="+nodeName, "-observe="+s.socket(), "-token-file="+s.token(), "-state="+s.clock()); err != nil {
		return err
	}
	return s.node.Listens(ctx, s.health)
}

// sidecar is one life of an adapter.
type sidecar struct {
	*process.Process
	address string
}

// setting changes an adapter's configuration.
type setting func(map[string]any)

// commanded has the adapter run this program in place of the real command.
func (s *stage) commanded(manner string) setting {
	return func(config map[string]any) {
		config["command"] = []string{s.self, misbehaveVerb, manner, s.folder, s.socket(), s.token()}
	}
}

// attend starts an adapter, and waits until it can be asked.
func (s *stage) attend(ctx context.Context, settings ...setting) (*sidecar, error) {
	address, err := freeport.Address("127.0.0.1")
	if err != nil {
		return nil, err
	}
	config := map[string]any{
		"node":      nodeName,
		"listen":    address,
		"command":   []string{s.loopvitals, "observe", "--socket", s.socket(), "--token-file", s.token()},
		"tokenFile": s.token(),
	}
	for _, set := range settings {
		set(config)
	}
	text, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(s.folder, "adapter-"+strings.ReplaceAll(address, ":", "-")+".json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	p, err := s.start("adapter", s.loopvitals, "adapter", "--config", file)
	if err != nil {
		return nil, err
	}
	return &sidecar{p, address}, p.Listens(ctx, address)
}

// freeze stops a process as if the host had forgotten it, and waits until it
// stands still.
func freeze(ctx context.Context, p *process.Process) error {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	return process.Poll(ctx, limit, time.Millisecond, func() bool { return stateOf(p.Pid()) == stopped })
}

func thaw(p *process.Process) error { return p.Signal(syscall.SIGCONT) }

// close kills everything.
func (s *stage) close() {
	for _, p := range s.started {
		p.Kill()
	}
	s.client.transport.CloseIdleConnections()
}

// state is what is to be known when something went wrong.
func (s *stage) state() string {
	var b strings.Builder
	for _, p := range s.started[max(0, len(s.started)-4):] {
		b.WriteString(p.Tail())
	}
	return b.String()
}
