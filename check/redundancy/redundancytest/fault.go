package redundancytest

import (
	"context"
	"time"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

// faultTests are about connections that break and engines that go. What was sent
// meanwhile may be lost; what counts is that each call returns, and that messages
// go through again afterwards.
var faultTests = []test{
	{"SilentConnection", silentConnection},
	{"BrokenConnection", brokenConnection},
	{"RestartedEngine", restartedEngine},
	{"EngineThatIsNotThereYet", engineThatIsNotThereYet},
}

// short is how long a call waits that cannot be done.
const short = 500 * time.Millisecond

// nothingGoes wants that Publish returns an error, in time, and that Subscribe
// ends with its context.
func (b *bench) nothingGoes(bus redundancy.Bus) {
	b.Helper()
	if err := b.publish(bus, topicOfTests, []byte("into the void"), short); err == nil {
		b.Error("no error of Publish while nothing goes through, want one")
	}
	b.subscriptionEnds(bus)
}

// subscriptionEnds wants that Subscribe ends with its context.
func (b *bench) subscriptionEnds(bus redundancy.Bus) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), short)
	defer cancel()
	returned := make(chan error, 1)
	go func() { returned <- bus.Subscribe(ctx, func([]byte) {}) }()
	select {
	case err := <-returned:
		if err == nil {
			b.Error("Subscribe returned no error, want why it ended")
		}
	case <-time.After(patience):
		b.Errorf("Subscribe did not return within %v of the end of its context", patience)
	}
}

func silentConnection(b *bench) {
	b.needsEngine()
	bus, wire := b.connect()
	other := b.bus()
	far, near := b.listen(bus), b.listen(other)
	b.deliver(bus, "before", far, near)
	wire.cut()
	b.nothingGoes(bus)
	b.deliver(other, "meanwhile", near)
	wire.heal()
	b.deliver(bus, "after, from here", far, near)
	b.deliver(other, "after, from there", far, near)
}

func brokenConnection(b *bench) {
	b.needsEngine()
	bus, wire := b.connect()
	other := b.bus()
	far, near := b.listen(bus), b.listen(other)
	b.deliver(bus, "before", far, near)
	for _, when := range []string{"once", "twice"} {
		wire.hangUp()
		b.nothingGoes(bus)
		b.deliver(other, "meanwhile, "+when, near)
		wire.heal()
		b.deliver(bus, "after, from here, "+when, far, near)
		b.deliver(other, "after, from there, "+when, far, near)
	}
}

func restartedEngine(b *bench) {
	b.needsEngine()
	bus, other := b.bus(), b.bus()
	all := []*listener{b.listen(bus), b.listen(other)}
	b.deliver(bus, "before", all...)
	b.stop()
	b.nothingGoes(bus)
	b.restart()
	b.deliver(bus, "after, from here", all...)
	b.deliver(other, "after, from there", all...)
}

func engineThatIsNotThereYet(b *bench) {
	b.needsEngine()
	b.stop()
	bus := b.bus()
	b.nothingGoes(bus)
	l := b.listen(bus)
	b.restart()
	b.deliver(bus, "at last", l)
}
