//go:build linux

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/claim"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/link"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

// slot is a place for a node: its address, and its wires to the engine and to
// the device. Processes come and go in it.
type slot struct {
	name    string
	address string
	// endpoint and device are the addresses of the engine and of the device, as
	// the node sees them.
	endpoint, device string

	engine *link.Link // between the node and the engine
	wire   *link.Link // between a cabled node and the device
	cable  *cable
	life   *life // the process that is or was here last
}

// life is one process in a slot, and what it claimed.
type life struct {
	*process.Process
	slot *slot
	page *claim.Page
}

func (s *slot) close() {
	if s.life != nil {
		s.life.Kill()
	}
	for _, l := range []*link.Link{s.engine, s.wire} {
		if l != nil {
			l.Close()
		}
	}
}

// start puts a new process into the slot.
func (s *stage) start(at *slot) error {
	s.count++
	name := fmt.Sprintf("%s-%s-%d", s.kind, at.name, s.count)
	file := filepath.Join(s.folder, name+".claims")
	if err := claim.Create(file); err != nil {
		return err
	}
	page, err := claim.Open(file)
	if err != nil {
		return err
	}
	args := []string{
		s.cast.verb, "-engine", string(s.kind), "-address", at.address, "-page", file,
		"-endpoint", at.endpoint, "-device", at.device, "-ttl", ttl.String(),
	}
	var attributes syscall.SysProcAttr
	if at.cable != nil {
		attributes = ownNetwork()
		args = append(args, "-network", at.cable.node+"/30")
	}
	p, err := process.Spawn(s.folder, name, attributes, args...)
	if err != nil {
		return errors.Join(err, page.Close())
	}
	at.life = &life{Process: p, slot: at, page: page}
	s.lives = append(s.lives, at.life)
	if at.cable != nil {
		return at.cable.plug(p.Pid())
	}
	return nil
}
