package node

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

const (
	ms     = time.Millisecond
	secret = "correct-horse-battery-staple"
)

// noContext is a caller without a limit.
var noContext context.Context

// answers is a checker that always says the same.
func answers(s check.Status) check.Checker {
	return check.Func(func(context.Context) check.Result { return check.Result{Status: s} })
}

// gauge is a Gauge of which each method can be replaced.
type gauge struct {
	listeners func() ([]observation.Listener, bool)
	capacity  func() (observation.Capacity, bool)
}

func (g *gauge) Listeners() ([]observation.Listener, bool) { return g.listeners() }
func (g *gauge) Capacity() (observation.Capacity, bool)    { return g.capacity() }

var (
	aListener = observation.Listener{Name: "public", Address: "127.0.0.1:8080", Owner: "api", Live: true}
	aCapacity = observation.Capacity{
		Connections: observation.Use{InUse: 1, Limit: 10},
		Exchanges:   observation.Use{InUse: 2, Limit: 20},
		Buffers:     observation.Use{InUse: 3, Limit: 30},
	}
)

func calmGauge() *gauge {
	return &gauge{
		func() ([]observation.Listener, bool) { return []observation.Listener{aListener}, true },
		func() (observation.Capacity, bool) { return aCapacity, true },
	}
}

// goodSource lacks nothing.
func goodSource() Source {
	return Source{
		Node: "orders-1", Instance: "life-1",
		Healthy: answers(check.Healthy), Owner: answers(check.Healthy), Ready: answers(check.Healthy),
		Ingress: calmGauge(),
	}
}

// goodDocument is what goodSource says, at the age of 0 and without its time.
func goodDocument() observation.Document {
	return observation.Document{
		Version:    observation.Version,
		Identity:   observation.Identity{Node: "orders-1", Instance: "life-1"},
		Result:     observation.Succeeded,
		Pressure:   observation.Pressure{Available: true},
		Inventory:  observation.Inventory{Complete: true, Listeners: []observation.Listener{aListener}},
		Capacity:   aCapacity,
		Activation: observation.Activation{Ready: true},
		Native:     observation.Native{Healthy: true, Owner: true},
	}
}

func evaluatorOf(t *testing.T, s Source) *evaluator {
	t.Helper()
	e, err := s.evaluator(nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// folder is a directory with a name short enough for sockets.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lv") //nolint:usetesting // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// tokenFile writes a token file of mode 0600.
func tokenFile(t *testing.T, dir, token string) string {
	t.Helper()
	path := filepath.Join(dir, "token")
	// As a token is changed: no reader ever finds half of one.
	if err := os.WriteFile(path+".new", []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}

// serving starts a server of the source, and returns its socket and token file.
func serving(t *testing.T, s Source, change ...func(*Server)) (socket, token string) {
	t.Helper()
	dir := folder(t)
	socket, token = filepath.Join(dir, "s"), tokenFile(t, dir, secret)
	server, err := Listen(Config{Socket: socket, TokenFile: token, Source: s})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range change {
		c(server)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(t.Context()) }()
	t.Cleanup(func() {
		server.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return socket, token
}
