package redundancy

import (
	"sync/atomic"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// Node is the redundancy of one node: its role, its service level and its primary
// gate. All methods may be called by any goroutine. A nil Node, and one that New did
// not make, is down and denies.
type Node struct {
	config Config
	log    log
	clock  cluster.Clock
	gate   *gate
	sites  map[string]*Site

	crew       crew
	builder    builder
	whole      *cluster.Gate // of the whole cluster, behind which snapshots are sent
	snapshots  courier
	results    courier
	probed     atomic.Uint64 // the sequence of the newest result
	supervisor supervisor
	database   databaseWatch
	omission   omission
	misheard   atomic.Bool // has warned of snapshots about another role
	levels     levels
	outlet     outlet
	ignored    [ignoredCount]atomic.Uint64
	inbox      inbox
	witnesses  witnesses
	stir       chan struct{} // wakes follow
	available  atomic.Bool   // the cluster was, when Check was asked
}

// New returns a Node. It starts nothing and does no I/O; it only asks a Source
// without a Bus whether it works alone. The error names the part of the
// configuration that is wrong, its value and its bound.
func New(c Config, opts ...Option) (*Node, error) {
	c, err := c.settle()
	if err != nil {
		return nil, err
	}
	n := &Node{config: c, clock: cluster.BootClock{}, stir: make(chan struct{}, 1)}
	for _, o := range opts {
		if o != nil {
			o.apply(n)
		}
	}
	if err := n.wire(); err != nil {
		return nil, err
	}
	return n, nil
}

// wire gives each part what it needs of the others.
func (n *Node) wire() error {
	c := &n.config
	sites, err := siteNames(c.Sites)
	if err != nil {
		return err
	}
	if n.gate, err = newGate(c.Source, c.Role, sites, n.standing, n.log.warn); err != nil {
		return err
	}
	n.sites = n.gate.sites()
	if n.whole, err = cluster.NewGate(c.Source); err != nil {
		return err
	}
	n.builder = builder{role: c.Role, debounce: c.Debounce, republish: c.RepublishInterval}
	n.snapshots = courier{bus: c.Bus, topic: "snapshot", crew: &n.crew, outcome: n.outcomes("to publish a snapshot")}
	n.results = courier{bus: c.Bus, topic: "probe", crew: &n.crew, outcome: n.outcomes("to publish a probe result")}
	n.supervisor = supervisor{
		role: c.Role, try: c.Prober, interval: c.ProbeInterval, timeout: c.ProbeTimeout, crew: &n.crew,
		found: n.report, broke: n.outcomes("to probe a peer"),
		probings: map[cluster.Key]*probing{}, hung: map[string]*caller{},
	}
	n.database = databaseWatch{ask: c.Database, interval: c.DatabaseInterval, caller: newCaller(c.DatabaseTimeout)}
	n.levels = levels{policy: c.Levels, show: n.outlet.show}
	n.outlet.outcome = n.outcomes("to publish the service level")
	return nil
}

// outcomes returns who is told how calls for a purpose end.
func (n *Node) outcomes(purpose string) func(error) {
	return func(err error) {
		if err != nil {
			n.ignore(IgnoredFailure)
		}
		n.log.outcome(purpose, err)
	}
}

// ignore counts what had no effect.
func (n *Node) ignore(kind Ignored) { n.ignored[kind].Add(1) }

// Site returns the gate of a site; nil, which denies, when it was not configured.
func (n *Node) Site(name string) *Site {
	if n == nil {
		return nil
	}
	return n.sites[name]
}

// Role returns the role that the primary gate goes by now.
func (n *Node) Role() Role { return n.standing().effective() }

// ServiceLevel computes the service level of now. It is that of Down before Run has
// begun and after it has ended, and 0 for a nil Node.
func (n *Node) ServiceLevel() uint8 {
	if n == nil {
		return 0
	}
	return n.config.Levels.Level(n.inputs())
}

// standing reads the view and the newest snapshot, as they are now.
func (n *Node) standing() standing {
	if n == nil || n.config.Source == nil {
		return standing{}
	}
	s := look(n.config.Source)
	return standingIn(s.view, s.now, n.config.Role, n.newest())
}

// newest returns the newest snapshot, nil without one.
func (n *Node) newest() *snapshot {
	s, _, _ := n.inbox.newest()
	return s
}

// now reads the clock of ages. One that panics tells no time.
func (n *Node) now() (now cluster.Instant, ok bool) {
	defer func() {
		if recover() != nil {
			now, ok = 0, false
		}
	}()
	return n.clock.Now(), true
}

// nudge makes follow look again.
func (n *Node) nudge() {
	select {
	case n.stir <- struct{}{}:
	default:
	}
}
