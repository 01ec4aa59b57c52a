//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/loopvitals/loopvitals/examples/pair/device"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/link"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
	"github.com/loopvitals/loopvitals/examples/pair/engine"
	"github.com/loopvitals/loopvitals/examples/pair/freeport"
)

// stage is an engine, a device and three nodes, all of them processes.
type stage struct {
	kind   engine.Kind
	number int // of the stages that run at the same time
	folder string
	random *rand.Rand
	cast   cast

	engineAddress, deviceAddress string
	engine, device               *process.Process
	journal                      *device.Client
	slots                        []*slot
	lives                        []*life // of all times
	count                        int     // of all processes
	undo                         []func()
	spoilt                       bool   // by a round that failed
	claimsSeen                   int64  // until when the claims were judged
	staleSeen                    [2]int // stale writes accepted and refused that were counted
}

func newStage(ctx context.Context, kind engine.Kind, number int, folder string, seed uint64) (*stage, error) {
	s := &stage{
		kind: kind, number: number,
		folder: filepath.Join(folder, string(kind)),
		random: rand.New(rand.NewPCG(seed, uint64(number))),
	}
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return nil, err
	}
	var err error
	if s.engineAddress, err = freeport.Address("127.0.0.1"); err != nil {
		return nil, err
	}
	if err := s.startEngine(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// startEngine starts the server, on the files that it had before.
func (s *stage) startEngine(ctx context.Context) (err error) {
	s.count++
	s.engine, err = process.Spawn(s.folder, fmt.Sprintf("%s-engine-%d", s.kind, s.count), syscall.SysProcAttr{},
		"engine", "-engine", string(s.kind), "-address", s.engineAddress, "-folder", filepath.Join(s.folder, "engine"))
	if err != nil {
		return err
	}
	return s.engine.Listens(ctx, s.engineAddress)
}

// enter puts three new nodes and a new device on the stage, unless those who are
// there will do. A round that failed may have left anything behind, so after one
// they will not.
func (s *stage) enter(ctx context.Context, c cast) (err error) {
	if s.cast == c && !s.spoilt {
		return nil
	}
	s.clear()
	if !s.engine.Running() {
		if err := s.startEngine(ctx); err != nil {
			return err
		}
	}
	s.cast = c
	if s.deviceAddress, err = freeport.Address("127.0.0.1"); err != nil {
		return err
	}
	s.count++
	s.device, err = process.Spawn(s.folder, fmt.Sprintf("%s-device-%d", s.kind, s.count), syscall.SysProcAttr{},
		"device", "-address", s.deviceAddress, fmt.Sprintf("-trusting=%v", c.trusting))
	if err != nil {
		return err
	}
	if err := s.device.Listens(ctx, s.deviceAddress); err != nil {
		return err
	}
	s.journal, s.staleSeen = device.NewClient(s.deviceAddress), [2]int{}
	if c.cabled {
		lift, err := guard(s.number)
		if err != nil {
			return err
		}
		s.undo = append(s.undo, lift)
	}
	for i := range 3 {
		slot := &slot{name: string(rune('a' + i))}
		s.slots = append(s.slots, slot)
		if err := s.furnish(slot, i); err != nil {
			return err
		}
	}
	return nil
}

// furnish gives a slot its address, its wires and the first process.
func (s *stage) furnish(at *slot, i int) (err error) {
	if s.cast.cabled {
		return s.furnishCabled(at, newCable(s.number, i))
	}
	if at.address, err = freeport.Address(fmt.Sprintf("127.0.%d.%d", s.number+1, i+1)); err != nil {
		return err
	}
	if at.engine, err = link.Listen("127.0.0.1:0", s.engineAddress); err != nil {
		return err
	}
	at.endpoint, at.device = at.engine.Address(), s.deviceAddress
	return s.start(at)
}

// furnishCabled begins with the process, without which there is no cable to lay
// the wires through. The node waits for them as it would for an engine.
func (s *stage) furnishCabled(at *slot, c cable) (err error) {
	at.cable = &c
	at.address = c.node + ":8080"
	at.endpoint, at.device = c.here+":4000", c.here+":4001"
	if err := s.start(at); err != nil {
		return err
	}
	if at.engine, err = link.Listen(at.endpoint, s.engineAddress); err != nil {
		return err
	}
	at.wire, err = link.Listen(at.device, s.deviceAddress)
	return err
}

// clear ends the nodes and the device, and waits for them.
func (s *stage) clear() {
	for _, at := range s.slots {
		at.close()
	}
	s.slots = nil
	if s.device != nil {
		s.device.Kill()
		s.journal.Close()
		s.device = nil
	}
	for _, undo := range s.undo {
		undo()
	}
	s.undo = nil
}

func (s *stage) close() {
	s.clear()
	s.engine.Kill()
	for _, l := range s.lives {
		_ = l.page.Close()
	}
}

// state is one line a node, for errors.
func (s *stage) state() string {
	var b strings.Builder
	for _, at := range s.slots {
		r := at.life.page.Report()
		fmt.Fprintf(&b, "    node %s %s: running %v, reported %d ms ago, up %v, active %v, age %d, sees %d members\n",
			at.name, at.address, at.life.Running(), (now()-r.At)/1e6, r.Up, r.Active, r.Age, r.Members)
	}
	return b.String()
}

// logs are the ends of the logs of all that is on the stage.
func (s *stage) logs() string {
	var b strings.Builder
	b.WriteString(s.engine.Tail())
	for _, at := range s.slots {
		b.WriteString(at.life.Tail())
	}
	return b.String()
}
