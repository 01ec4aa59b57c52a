package redundancytest

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
	"github.com/loopvitals/loopvitals/check/redundancy"
)

// The addresses of a pair, of which the lower one is Up first: if addresses
// counted, it would be the primary again after its return.
const (
	addressA = "10.0.0.1:4053"
	addressB = "10.0.0.2:4053"
)

// driver is the role that a pair shares.
const driver = "driver"

// pair is two warm nodes, whose cluster is scripted: both are told the same.
type pair struct {
	*bench
	a, b *warm
}

// warm is a node at one end of the bus.
type warm struct {
	*redundancy.Node
	script *clustertest.Script
	write  *redundancy.Site
	bench  *bench
}

// newPair returns two nodes that are members, the first of them the older one, and
// do not run yet.
func newPair(b *bench, prober redundancy.Prober, first, second redundancy.Bus) *pair {
	b.Helper()
	p := &pair{bench: b, a: newWarm(b, addressA, prober, first), b: newWarm(b, addressB, prober, second)}
	p.tell(func(s *clustertest.Script) {
		for _, address := range []string{addressA, addressB} {
			s.Join(address, driver)
			s.Up(address)
		}
		s.Confirm(24 * time.Hour)
	})
	return p
}

func newWarm(b *bench, address string, prober redundancy.Prober, bus redundancy.Bus) *warm {
	b.Helper()
	script := clustertest.NewScriptFollowing(clustertest.Clock{}, address)
	node, err := redundancy.New(redundancy.Config{
		Source: script, Bus: bus, Role: driver, Prober: prober,
		ProbeInterval: 200 * time.Millisecond, HealthInterval: 200 * time.Millisecond,
		Debounce: 50 * time.Millisecond, RepublishInterval: 500 * time.Millisecond,
	}, redundancy.WithLogger(slog.New(slog.NewTextHandler(b.Output(), nil)).With("node", address)))
	if err != nil {
		b.Fatal(err)
	}
	return &warm{Node: node, script: script, write: node.Site(redundancy.SiteWrite), bench: b}
}

// tell changes the cluster, as each of the two sees it.
func (p *pair) tell(change func(*clustertest.Script)) {
	change(p.a.script)
	change(p.b.script)
}

// rejoin begins another life of a member, which is the youngest then.
func (p *pair) rejoin(address string) {
	p.tell(func(s *clustertest.Script) {
		s.Remove(address)
		s.Join(address, driver)
		s.Up(address)
	})
}

// run runs the node until the end of the test.
func (w *warm) run() {
	ctx, cancel := context.WithCancel(context.Background())
	returned := make(chan error, 1)
	go func() { returned <- w.Run(ctx) }()
	w.bench.Cleanup(func() {
		cancel()
		select {
		case err := <-returned:
			if err != nil {
				w.bench.Errorf("run: %v", err)
			}
		case <-time.After(patience):
			w.bench.Errorf("Run did not return within %v of the end of its context", patience)
		}
	})
}

// waitRoles waits until one is the primary, serves writes and is preferred by
// clients, and the other is the secondary, does neither and hears of it.
func (p *pair) waitRoles(primary, secondary *warm) {
	p.Helper()
	defer func() {
		if p.Failed() {
			for _, w := range []*warm{primary, secondary} {
				s := w.State()
				p.Logf("%s: role %v, level %d, snapshot %v of age %v, ignored %v", w.script.View().Self.Address, s.Role, s.Level, s.SnapshotKnown, s.SnapshotAge, s.Ignored)
			}
		}
	}()
	p.until("both roles are right", func() bool { return primary.is(redundancy.Primary) && secondary.is(redundancy.Secondary) })
	p.until("both levels are right", func() bool { return primary.ServiceLevel() == 250 && secondary.ServiceLevel() == 240 })
	age := secondary.State().SnapshotAge
	p.until("the secondary hears the primary", func() bool {
		before := age
		age = secondary.State().SnapshotAge
		return age < before // nothing but a newer snapshot makes it less
	})
}

// is tells whether the node has the role, and its gate goes by it.
func (w *warm) is(r redundancy.Role) bool {
	return w.Role() == r && w.write.IsActive() == (r == redundancy.Primary)
}

// wantDenied wants that a write is denied for a reason.
func (w *warm) wantDenied(reason redundancy.Denial) {
	w.bench.Helper()
	var denied *redundancy.DeniedError
	if err := w.write.Allow(); !errors.As(err, &denied) || denied.Denial != reason {
		w.bench.Errorf("error %v, want one for the reason %v", err, reason)
	}
}

// ignored is how often the node has ignored something of a kind.
func (w *warm) ignored(kind redundancy.Ignored) uint64 {
	for _, i := range w.State().Ignored {
		if i.Kind == kind {
			return i.Count
		}
	}
	return 0
}

// reachable is a Prober that finds every peer well.
func reachable(context.Context, cluster.Member) error { return nil }
