package adapter

import (
	"net/netip"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/child"
	local "github.com/loopvitals/loopvitals/tiers/adapter/internal/loopback"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// runner runs the command, once at a time.
type runner interface {
	// Run returns when the command is gone, and everything that it started.
	Run() (output []byte, started time.Time, err error)
	// Stop has a running command killed and refuses every later one.
	Stop()
}

// server answers probes until it is stopped.
type server interface {
	Addr() netip.AddrPort
	Serve() error
	Stop()
	Counters() local.Counters
}

func newRunner(c Config) (runner, error) {
	return child.New(child.Config{
		Argv: c.Command, Env: c.Environment,
		Timeout: c.Timeout, MaxOutput: observation.MaxBytes,
		Subreaper: c.Subreaper,
	})
}

func newServer(c Config, answer func(endpoint) bool) (server, error) {
	return local.Listen(local.Config{
		Listen: c.Listen, Peer: c.Peer,
		Paths: []string{startup: c.StartupPath, ready: c.ReadyPath, live: c.LivePath},
		OK:    func(path int) bool { return answer(endpoint(path)) },
	})
}
