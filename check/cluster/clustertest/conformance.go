package clustertest

import (
	"testing"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// Engine is a running engine with an empty store, as TestKV needs it. All
// functions may be called by any goroutine, and fail their test when they cannot
// do what they should.
type Engine struct {
	// Address returns where the server listens, host:port; after a restart it
	// may be another one.
	Address func() string
	// Connect returns a KV with a connection of its own, closed at the end of
	// the test. The address is of a wire in front of the server, which the suite
	// cuts; the KV must use no other, nor give up when it fails. All KVs share
	// one store.
	Connect func(t testing.TB, address string) casmember.KV
	// Stop ends the server at once, and Start starts it with what it had stored
	// and returns when it serves.
	Stop, Start func(t testing.TB)
	// Delete deletes a record as an operator would who knows nothing of
	// revisions.
	Delete func(t testing.TB, key string)
	// Compact makes the engine forget all changes until now that it is able to
	// forget. nil where an engine keeps none.
	Compact func(t testing.TB)
}

// TestKV tests a driver: that it keeps what casmember.KV promises, in good times
// and in bad, and that a cluster over it has one active node. start is called for
// each test, also for several at once, and its engine must be stopped at the end
// of that test. The whole takes less than a minute; -short leaves out what is over
// Nodes.
func TestKV(t *testing.T, start func(t testing.TB) *Engine) {
	for _, group := range []struct {
		name  string
		tests map[string]func(*bench)
		long  bool
	}{
		{"Write", writeTests, false},
		{"Watch", watchTests, false},
		{"Fault", faultTests, false},
		{"Node", nodeTests, true},
	} {
		if group.long && testing.Short() {
			continue
		}
		t.Run(group.name, func(t *testing.T) {
			for name, test := range group.tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel() // they wait more than they work
					test(&bench{T: t, engine: start(t)})
				})
			}
		})
	}
}

// bench is what one test works on.
type bench struct {
	*testing.T
	engine *Engine
	wires  []*wire
}

// connect returns a KV and the wire that it hangs on.
func (b *bench) connect() (casmember.KV, *wire) {
	b.Helper()
	w := newWire(b.T, b.engine.Address)
	b.wires = append(b.wires, w)
	return b.engine.Connect(b.T, w.address()), w
}

// kv is connect for a test that cuts nothing.
func (b *bench) kv() casmember.KV {
	b.Helper()
	kv, _ := b.connect()
	return kv
}

// stop ends the server as its death would, which breaks all connections.
func (b *bench) stop() {
	b.Helper()
	for _, w := range b.wires {
		w.hangUp()
	}
	b.engine.Stop(b.T)
}

// restart starts the server again, and heals all wires.
func (b *bench) restart() {
	b.Helper()
	b.engine.Start(b.T)
	for _, w := range b.wires {
		w.heal()
	}
}
