//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/link"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
	"github.com/loopvitals/loopvitals/examples/pair/freeport"
)

// What the nodes are told. Intervals and bounds are shorter than usual, to have
// done in a minute what takes a quarter of an hour else; see the legend.
const (
	ttl        = 4 * time.Second
	health     = time.Second
	interval   = 2 * time.Second // of asking the database, and of trying the peer
	republish  = 2 * time.Second
	staleAfter = 6 * time.Second
)

// slot is a place for a node: its addresses, and its wires.
type slot struct {
	name    string
	address string // by which the other node knows and tries it
	listen  string // where it serves
	engine  *link.Link
	bus     *link.Link
	door    *link.Link // from address to listen; nil while it is blocked
	life    *life      // the process that is or was here last
	writer  writer
	reader  reader
}

// life is one process in a slot.
type life struct {
	*process.Process
	slot  *slot
	path  string // of what it showed
	ended int64  // boot clock before it was killed, 0 if it was not
}

func newSlot(name, engineAddress string) (at *slot, err error) {
	at = &slot{name: name}
	if at.address, err = freeport.Address("127.0.0.1"); err != nil {
		return nil, err
	}
	if at.listen, err = freeport.Address("127.0.0.1"); err != nil {
		return nil, err
	}
	if at.engine, err = link.Listen("127.0.0.1:0", engineAddress); err != nil {
		return nil, err
	}
	if at.bus, err = link.Listen("127.0.0.1:0", engineAddress); err != nil {
		return at, err
	}
	return at, at.unblock()
}

// block has the endpoint refuse whoever knocks; nothing else of the node changes.
func (at *slot) block() {
	at.door.Close()
	at.door = nil
}

func (at *slot) unblock() (err error) {
	at.door, err = link.Listen(at.address, at.listen)
	return err
}

func (at *slot) close() {
	for _, l := range []*link.Link{at.engine, at.bus, at.door} {
		if l != nil {
			l.Close()
		}
	}
}

// otherSpelling is another way to write the slot's address.
func (at *slot) otherSpelling() string {
	host, port, _ := net.SplitHostPort(at.address)
	return "[::ffff:" + host + "]:0" + port
}

// boot puts a new process into the slot, which knows its address by the spelling.
func (s *stage) boot(ctx context.Context, at *slot, spelling string) error {
	p, path, err := s.spawnNode(at, spelling, at.listen)
	if err != nil {
		return err
	}
	at.life = &life{Process: p, slot: at, path: path}
	s.lives = append(s.lives, at.life)
	return p.Listens(ctx, at.listen)
}

func (s *stage) spawnNode(at *slot, spelling, listen string) (p *process.Process, path string, err error) {
	s.count++
	name := fmt.Sprintf("warm-%s-%d", at.name, s.count)
	path = filepath.Join(s.folder, name+".journal")
	p, err = process.Spawn(s.folder, name, syscall.SysProcAttr{}, "warm",
		"-journal", path, "-address", spelling, "-listen", listen, "-roles", "admin,driver",
		"-advertise", "urn:pair:"+at.name, "-peers", "urn:pair:"+s.peer(at).name,
		"-engine", at.engine.Address(), "-bus", at.bus.Address(), "-device", s.deviceAddress, "-database", s.database.URL(),
		"-ttl", ttl.String(), "-health-interval", health.String(), "-database-interval", interval.String(),
		"-probe-interval", interval.String(), "-republish-interval", republish.String(), "-stale-after", staleAfter.String())
	return p, path, err
}

// shown is the answer of GET /service-level.
type shown struct {
	Level   int      `json:"serviceLevel"`
	Role    string   `json:"role"`
	Primary string   `json:"primary"`
	Servers []string `json:"servers"`
}

// level asks the node, as its clients do.
func (s *stage) level(ctx context.Context, at *slot) (l shown, err error) {
	return l, s.get(ctx, at, "/service-level", &l)
}

func (s *stage) get(ctx context.Context, at *slot, path string, into any) error {
	_, text, err := s.ask(ctx, http.MethodGet, at, path)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}

func (s *stage) ask(ctx context.Context, method string, at *slot, path string) (code int, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+at.listen+path, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	return answer.StatusCode, strings.TrimSpace(string(text)), err
}

// shows waits until the node has the level, and returns how long that took since
// the boot clock's time.
func (s *stage) shows(ctx context.Context, at *slot, level int, since int64, limit time.Duration) (time.Duration, error) {
	var last shown
	err := process.Poll(ctx, limit, 5*time.Millisecond, func() bool {
		l, err := s.level(ctx, at)
		if err == nil {
			last = l
		}
		return err == nil && l.Level == level
	})
	if errors.Is(err, process.ErrTimeout) {
		err = fmt.Errorf("node %s shows %d and not %d after %v", at.name, last.Level, level, limit)
	}
	return time.Duration(now() - since), err
}
