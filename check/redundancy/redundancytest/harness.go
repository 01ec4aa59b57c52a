package redundancytest

import (
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

// Harness is a bus under test, as TestBus needs it. All functions may be called by
// any goroutine, and fail their test when they cannot do what they should.
type Harness struct {
	// Connect returns a Bus with a connection of its own, closed at the end of
	// the test. The address is of a wire in front of the engine, which the suite
	// cuts; the Bus must use no other, nor give up when it fails. All Buses of
	// one Harness carry to each other. Without an engine the address is empty.
	Connect func(t testing.TB, address string) redundancy.Bus
	// Address returns where the engine listens, host:port; after a restart it
	// may be another one. nil is a bus without an engine, which is spared the
	// tests of faults.
	Address func() string
	// Stop ends the engine at once, and Start starts it again and returns when
	// it serves. They are required with an Address.
	Stop, Start func(t testing.TB)
}

// TestBus tests a driver: that it keeps what redundancy.Bus promises, in good times
// and in bad, and that the Nodes at its ends agree. start is called for each group
// of tests and for each fault, also for several at once, and its engine must be
// stopped at the end of the test that it is given. The whole takes less than a
// minute; -short leaves out what is over Nodes.
func TestBus(t *testing.T, start func(t testing.TB) Harness) {
	t.Run("Carry", func(t *testing.T) {
		harness := start(t)
		for _, test := range carryTests {
			t.Run(test.name, func(t *testing.T) { test.run(&bench{T: t, harness: harness}) })
		}
	})
	t.Run("Fault", func(t *testing.T) {
		runApart(t, start, faultTests)
	})
	t.Run("Node", func(t *testing.T) {
		if testing.Short() {
			t.Skip("it takes seconds")
		}
		runApart(t, start, nodeTests)
	})
}

// runApart gives each test an engine of its own.
func runApart(t *testing.T, start func(t testing.TB) Harness, tests []test) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // they wait more than they work
			test.run(&bench{T: t, harness: start(t)})
		})
	}
}

// test is one of a group.
type test struct {
	name string
	run  func(*bench)
}

// patience is how long a test waits for what takes a moment, on a machine that is
// busy with other work.
const patience = 60 * time.Second

// bench is what one test works on.
type bench struct {
	*testing.T
	harness Harness
	wires   []*wire
}

// needsEngine skips a test that ends the engine or cuts the way to it.
func (b *bench) needsEngine() {
	b.Helper()
	if b.harness.Address == nil {
		b.Skip("a bus without an engine")
	}
}

// connect returns a Bus and the wire that it hangs on, nil without an engine.
func (b *bench) connect() (redundancy.Bus, *wire) {
	b.Helper()
	if b.harness.Address == nil {
		return b.harness.Connect(b.T, ""), nil
	}
	w := newWire(b.T, b.harness.Address)
	b.wires = append(b.wires, w)
	return b.harness.Connect(b.T, w.address()), w
}

// bus is connect for a test that cuts nothing.
func (b *bench) bus() redundancy.Bus {
	b.Helper()
	bus, _ := b.connect()
	return bus
}

// stop ends the engine as its death would, which breaks all connections.
func (b *bench) stop() {
	b.Helper()
	for _, w := range b.wires {
		w.hangUp()
	}
	b.harness.Stop(b.T)
}

// restart starts the engine again, and heals all wires.
func (b *bench) restart() {
	b.Helper()
	b.harness.Start(b.T)
	for _, w := range b.wires {
		w.heal()
	}
}

// until waits for a condition, asking for it often.
func (b *bench) until(what string, holds func() bool) {
	b.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			b.Fatalf("%s: not within %v", what, patience)
		}
	}
}
