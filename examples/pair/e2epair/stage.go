//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
	"github.com/loopvitals/loopvitals/examples/pair/e2epair/postgres"
	"github.com/loopvitals/loopvitals/examples/pair/engine"
	"github.com/loopvitals/loopvitals/examples/pair/field"
	"github.com/loopvitals/loopvitals/examples/pair/freeport"
	"github.com/loopvitals/loopvitals/examples/pair/stream"
)

// stage is all that runs: an engine, a database, a device and two nodes, all of
// them processes, and the wires between them.
type stage struct {
	folder                       string
	engineAddress, deviceAddress string
	engine, device               *process.Process
	database                     *postgres.Server
	journal                      *field.Client
	conn                         *nats.Conn
	streams                      *stream.Streams
	client                       *http.Client
	a, b                         *slot
	lives                        []*life // of all times
	count                        int     // of all processes

	crowd    sync.WaitGroup // clients and sensors
	disperse context.CancelFunc
	sensors  context.CancelFunc
}

func newStage(ctx context.Context, folder string) (s *stage, err error) {
	s = &stage{folder: folder, client: &http.Client{Transport: &http.Transport{}, Timeout: 5 * time.Second}}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.database, err = postgres.New(ctx, folder); err != nil {
		return s, err
	}
	if err := s.database.Start(ctx); err != nil {
		return s, err
	}
	files := filepath.Join(folder, "engine")
	if s.engine, s.engineAddress, err = s.start(ctx, "engine", "-folder", files); err != nil {
		return s, err
	}
	if s.device, s.deviceAddress, err = s.start(ctx, "field"); err != nil {
		return s, err
	}
	s.journal = field.NewClient(s.deviceAddress, "")
	conn, js, err := engine.DialNATS([]string{s.engineAddress})
	if err != nil {
		return s, err
	}
	s.conn, s.streams = conn, stream.New(js)
	if err := s.streams.Create(ctx); err != nil {
		return s, err
	}
	if s.a, err = newSlot("A", s.engineAddress); err != nil {
		return s, err
	}
	s.b, err = newSlot("B", s.engineAddress)
	return s, err
}

// start starts a part on a free port.
func (s *stage) start(ctx context.Context, verb string, args ...string) (*process.Process, string, error) {
	address, err := freeport.Address("127.0.0.1")
	if err != nil {
		return nil, "", err
	}
	p, err := process.Spawn(s.folder, verb, syscall.SysProcAttr{}, append([]string{verb, "-address", address}, args...)...)
	if err != nil {
		return nil, "", err
	}
	return p, address, p.Listens(ctx, address)
}

// gather has sensors measure, and clients ask and write, all the time.
func (s *stage) gather(ctx context.Context) {
	ctx, s.disperse = context.WithCancel(ctx)
	measuring, stop := context.WithCancel(ctx)
	s.sensors = stop
	s.crowd.Go(func() { _ = stream.Feed(measuring, s.streams, stream.UsualPace) })
	for _, at := range s.slots() {
		s.crowd.Go(func() { at.writer.run(ctx, at.listen) })
		s.crowd.Go(func() { at.reader.run(ctx, at.listen) })
	}
}

func (s *stage) slots() []*slot {
	var all []*slot
	for _, at := range []*slot{s.a, s.b} {
		if at != nil {
			all = append(all, at)
		}
	}
	return all
}

// peer is the other slot.
func (s *stage) peer(of *slot) *slot {
	if of == s.a {
		return s.b
	}
	return s.a
}

func (s *stage) close() {
	if s.disperse != nil {
		s.disperse()
		s.crowd.Wait()
	}
	for _, l := range s.lives {
		l.Kill()
	}
	for _, at := range s.slots() {
		at.close()
	}
	if s.journal != nil {
		s.journal.Close()
	}
	if s.conn != nil {
		s.conn.Close()
	}
	s.device.Kill()
	s.engine.Kill()
	if s.database != nil {
		s.database.Close()
	}
	s.client.CloseIdleConnections()
}

// state is what is to be known when something went wrong.
func (s *stage) state(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var b strings.Builder
	for _, at := range s.slots() {
		if at.life == nil {
			continue
		}
		level, err := s.level(ctx, at)
		fmt.Fprintf(&b, "    node %s %s: running %v, %+v %v\n", at.name, at.address, at.life.Running(), level, err)
		b.WriteString(at.life.Tail())
	}
	return b.String()
}
