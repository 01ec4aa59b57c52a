package loopback

import (
	"net"
	"testing"
	"time"
)

// window is how long the CPU time of a starved server is measured.
func window() time.Duration {
	if soak {
		return 6 * time.Second
	}
	return time.Second
}

// idleShare is the part of the window that a server may compute. One that spins
// takes all of it.
const idleShare = 5 // 1/5

// TestServesWithoutDescriptors is fault 37: the process has none left, and the
// reserve goes from one client to the next.
func TestServesWithoutDescriptors(t *testing.T) {
	p := newHelper(t, "host", "few")
	defer p.end()
	addr := p.ask("listen")
	if err := probe(addr, "503"); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s descriptors taken", p.ask("exhaust"))
	for range 20 {
		if err := probe(addr, "503"); err != nil {
			t.Errorf("without descriptors: %v", err)
		}
	}
	for range 3 { // each takes the descriptor of the one before it
		silent, err := net.DialTimeout("tcp", addr, long)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = silent.Close() }()
	}
	if err := probe(addr, "503"); err != nil {
		t.Errorf("behind silent clients without descriptors: %v", err)
	}
	checkIdle(t, p)
	p.ask("release")
	if err := probe(addr, "503"); err != nil {
		t.Errorf("with descriptors again: %v", err)
	}
	p.ask("exhaust")
	p.ask("leave one") // enough for a file, and not for the runtime's poller
	if c := p.usage(t).Counters; c.Starved == 0 || c.Paused != 0 {
		t.Errorf("counted %+v", c)
	}
}

// TestWaitsForDescriptors takes the reserve, too: clients wait, the CPU rests, and
// then they are answered.
func TestWaitsForDescriptors(t *testing.T) {
	p := newHelper(t, "host", "few")
	defer p.end()
	p.ask("exhaust")
	p.ask("leave two") // for the listener and its eventfd, and no reserve
	addr := p.ask("listen")
	answered := make(chan error, 1)
	go func() { answered <- probe(addr, "503") }()
	await(t, "there is no descriptor", func() bool { return p.usage(t).Counters.Paused > 0 })
	checkIdle(t, p)
	select {
	case err := <-answered:
		t.Errorf("answered without a descriptor: %v", err)
	default:
	}
	p.ask("release")
	if err := <-answered; err != nil {
		t.Errorf("with descriptors again: %v", err)
	}
	if err := probe(addr, "503"); err != nil {
		t.Errorf("once more: %v", err)
	}
	t.Logf("%+v", p.usage(t).Counters)
}

// checkIdle measures the CPU time of a helper over a window.
func checkIdle(t *testing.T, p *helperProcess) {
	t.Helper()
	before := p.usage(t).CPUMicros
	time.Sleep(window())
	used := time.Duration(p.usage(t).CPUMicros-before) * time.Microsecond
	t.Logf("%v of CPU time in %v", used, window())
	if used > window()/idleShare {
		t.Errorf("%v of CPU time in %v: it spins", used, window())
	}
}
