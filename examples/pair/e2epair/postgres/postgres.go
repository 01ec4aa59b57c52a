//go:build linux

// Package postgres runs a PostgreSQL server for a trial, from the programs that are
// installed, in a folder that goes when it is closed.
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
	"github.com/loopvitals/loopvitals/examples/pair/freeport"
)

// account is who runs the server when this process is root's: it refuses that.
const account = "postgres"

const startLimit = 30 * time.Second

// Server is one server. Its methods are for one goroutine.
type Server struct {
	programs, data, logs string
	port                 string
	attributes           syscall.SysProcAttr
	process              *process.Process
	starts               int
}

// New makes the files of a server, and starts nothing. Its logs are written to the
// folder logs.
func New(ctx context.Context, logs string) (s *Server, err error) {
	s = &Server{logs: logs}
	if s.programs, err = programs(); err != nil {
		return nil, err
	}
	address, err := freeport.Address("127.0.0.1")
	if err != nil {
		return nil, err
	}
	s.port = address[len("127.0.0.1:"):]
	if s.data, err = os.MkdirTemp("", "loopvitals-postgres-"); err != nil {
		return nil, err
	}
	if err := errors.Join(s.drop(), s.initialise(ctx)); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// programs finds the folder of the server's programs, which Debian keeps off the
// path.
func programs() (string, error) {
	if found, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(found); err == nil {
			return filepath.Dir(real), nil
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errors.New("no PostgreSQL server: neither initdb on the path nor /usr/lib/postgresql/*/bin; Debian's package is postgresql")
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(version(a), version(b)) })), nil
}

// version is that of the folder's name, such as 9.6 or 15.
func version(initdb string) float64 {
	v, _ := strconv.ParseFloat(filepath.Base(filepath.Dir(filepath.Dir(initdb))), 64)
	return v
}

// drop has root give the files away, and the server run as their owner.
func (s *Server) drop() error {
	if os.Geteuid() != 0 {
		return nil
	}
	u, err := user.Lookup(account)
	if err != nil {
		return fmt.Errorf("PostgreSQL does not run as root, and there is nobody else: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return err
	}
	s.attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(s.data, int(uid), int(gid))
}

func (s *Server) initialise(ctx context.Context) error {
	p, err := process.Start(s.logs, "initdb", s.attributes, filepath.Join(s.programs, "initdb"),
		"-D", s.data, "-U", account, "-A", "trust", "--no-sync", "--no-locale", "-E", "UTF8")
	if err != nil {
		return err
	}
	defer p.Kill()
	if err := p.Exit(ctx, startLimit); err != nil {
		return fmt.Errorf("%w\n%s", err, p.Tail())
	}
	return nil
}

// URL is where it is reached.
func (s *Server) URL() string {
	return "postgres://" + account + "@127.0.0.1:" + s.port + "/postgres?sslmode=disable&connect_timeout=2"
}

// Start starts the server on its files, and waits until it answers.
func (s *Server) Start(ctx context.Context) (err error) {
	s.starts++
	// The kernel has what was written when the process is killed, so no test
	// needs to wait for the disk. Not for use outside of trials.
	s.process, err = process.Start(s.logs, fmt.Sprintf("postgres-%d", s.starts), s.attributes, filepath.Join(s.programs, "postgres"),
		"-D", s.data, "-p", s.port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "fsync=off", "-c", "autovacuum=off", "-c", "shared_buffers=16MB", "-c", "max_connections=20")
	if err != nil {
		return err
	}
	db, err := sql.Open("pgx", s.URL())
	if err != nil {
		return err
	}
	defer db.Close()
	err = process.Poll(ctx, startLimit, 20*time.Millisecond, func() bool {
		return db.PingContext(ctx) == nil || !s.process.Running()
	})
	if err == nil && !s.process.Running() {
		err = errors.New("it has ended")
	}
	if err != nil {
		return fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, s.process.Tail())
	}
	return nil
}

// Stop ends the server at once, as pg_ctl stop -m immediate does: connections are
// broken, and the next start has to recover.
func (s *Server) Stop(ctx context.Context) error {
	if s.process == nil {
		return nil
	}
	if err := s.process.Signal(syscall.SIGQUIT); err != nil {
		return err
	}
	return process.Poll(ctx, startLimit, 5*time.Millisecond, func() bool { return !s.process.Running() })
}

// Close ends the server and removes its files.
func (s *Server) Close() {
	if s.process != nil && s.process.Running() {
		// The children of one that is killed find that out by themselves, and
		// may take a moment to; asked, they are gone before it is.
		_ = s.process.Signal(syscall.SIGQUIT)
		_ = process.Poll(context.Background(), 5*time.Second, 5*time.Millisecond, func() bool { return !s.process.Running() })
		s.process.Kill()
	}
	_ = os.RemoveAll(s.data)
}
