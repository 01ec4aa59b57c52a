package adapter

import (
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	local "github.com/loopvitals/loopvitals/tiers/adapter/internal/loopback"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// The node of most tests, and a life of it.
const (
	nodeName = "node-a"
	aLife    = "life-1"
)

// healthy is the document of a node that lacks nothing.
func healthy() observation.Document {
	return observation.Document{
		Version:  observation.Version,
		Identity: observation.Identity{Node: nodeName, Instance: aLife},
		Result:   observation.Succeeded,
		Sampled:  observation.Sampled{At: "2026-11-30T10:00:00Z"},
		Pressure: observation.Pressure{Available: true},
		Inventory: observation.Inventory{Complete: true, Listeners: []observation.Listener{
			{Name: "public", Address: "127.0.0.1:8080", Owner: "api", Live: true},
			{Name: "admin", Address: "127.0.0.1:8081", Owner: "admin", Live: true},
		}},
		Capacity: observation.Capacity{
			Connections: observation.Use{InUse: 1, Limit: 2},
			Exchanges:   observation.Use{InUse: 3, Limit: 4},
			Buffers:     observation.Use{InUse: 5, Limit: 6},
		},
		Activation: observation.Activation{Ready: true},
		Native:     observation.Native{Healthy: true, Owner: true},
	}
}

// with is the healthy document after some changes.
func with(changes ...func(*observation.Document)) observation.Document {
	d := healthy()
	for _, change := range changes {
		change(&d)
	}
	return d
}

func full(d *observation.Document)  { d.Capacity.Connections.InUse = d.Capacity.Connections.Limit }
func sick(d *observation.Document)  { d.Native.Healthy = false }
func other(d *observation.Document) { d.Identity.Node = "node-b" }

// life gives the node another instance.
func life(instance string) func(*observation.Document) {
	return func(d *observation.Document) { d.Identity.Instance = instance }
}

// aged gives the node's facts an age.
func aged(ms int64) func(*observation.Document) {
	return func(d *observation.Document) { d.Sampled.AgeMs = ms }
}

// encoded is what the command prints.
func encoded(t testing.TB, d observation.Document) []byte {
	t.Helper()
	output, err := d.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return output
}

// run is one run of a scripted command.
type run struct {
	takes  time.Duration
	output []byte
	err    error
}

// script plays runs in virtual time, as the real runner would: a run ends at the
// timeout at the latest, and when it is stopped.
type script struct {
	play    func(start time.Duration) run // start counts from the beginning of the test
	now     func() instant
	timeout time.Duration
	dies    time.Duration // how long a run goes on after Stop
	stop    chan struct{}
	once    sync.Once

	running atomic.Int32
	starts  []time.Duration // of the sampler, to be read when it waits
	most    int32
}

func (s *script) Run() ([]byte, time.Time, error) {
	s.most = max(s.most, s.running.Add(1))
	defer s.running.Add(-1)
	start := time.Duration(s.now())
	s.starts = append(s.starts, start)
	r := s.play(start)
	if r.takes >= s.timeout {
		r = run{takes: s.timeout, err: context.DeadlineExceeded}
	}
	select {
	case <-time.After(r.takes):
		return r.output, time.Time{}, r.err
	case <-s.stop:
		time.Sleep(s.dies)
		return nil, time.Time{}, context.Canceled
	}
}

func (s *script) Stop() { s.once.Do(func() { close(s.stop) }) }

// silent is a server that nobody asks.
type silent struct {
	stop chan struct{}
	once sync.Once
}

func (*silent) Addr() netip.AddrPort { return netip.AddrPort{} }
func (s *silent) Serve() error       { <-s.stop; return nil }
func (s *silent) Stop()              { s.once.Do(func() { close(s.stop) }) }

func (*silent) Counters() local.Counters { return local.Counters{} }

// bench is an adapter in virtual time.
type bench struct {
	*testing.T
	*Adapter
	script *script
	ended  chan error
}

// testConfig has the limits of production, and no files.
func testConfig() Config {
	return Config{Node: nodeName, Timeout: maxTimeout, Pause: maxPause, MaximumAge: maxAge}
}

// inVirtualTime runs a test with an adapter whose command plays what play says.
// The adapter starts when begin is over, as the changes have left it.
func inVirtualTime(t *testing.T, begin time.Duration, play func(start time.Duration) run, test func(*bench), changes ...func(*bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		epoch := time.Now()
		a := newAdapter(testConfig())
		a.now = func() instant { return instant(time.Since(epoch)) }
		s := &script{play: play, now: a.now, timeout: a.config.Timeout, stop: make(chan struct{})}
		a.runner, a.server = s, &silent{stop: make(chan struct{})}
		b := &bench{T: t, Adapter: a, script: s, ended: make(chan error, 1)}
		for _, change := range changes {
			change(b)
		}
		go func() {
			time.Sleep(begin)
			b.ended <- a.Run(context.Background())
		}()
		test(b)
		a.Stop()
		if err := <-b.ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		if s.most > 1 {
			t.Errorf("%d samples at once", s.most)
		}
	})
}

// until waits for a moment, and for all that happens at it.
func (b *bench) until(at time.Duration) {
	time.Sleep(at - time.Duration(b.now()))
	synctest.Wait()
}

// answers is what probes get, in the order of the endpoints.
type answers struct{ startup, ready, live bool }

var (
	allYes = answers{true, true, true}
	allNo  = answers{}
)

func (b *bench) answers() answers {
	return answers{b.answer(startup), b.answer(ready), b.answer(live)}
}

// want probes at a moment.
func (b *bench) want(at time.Duration, want answers) {
	b.Helper()
	b.until(at)
	if got := b.answers(); got != want {
		b.Errorf("t=%v: startup, ready and live are %v, want %v", at, got, want)
	}
}

// always plays the same run each time.
func always(r run) func(time.Duration) run { return func(time.Duration) run { return r } }

// played gives each run in turn, and the last one again and again.
func played(runs ...run) func(time.Duration) run {
	return func(time.Duration) run {
		r := runs[0]
		if len(runs) > 1 {
			runs = runs[1:]
		}
		return r
	}
}

// hangs is a run that would never end.
var hangs = run{takes: time.Hour}
