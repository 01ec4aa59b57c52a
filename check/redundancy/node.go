package redundancy

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/cluster"
)

// Config is what a Node needs. A zero field is not set and takes its default.
type Config struct {
	// Source tells who is in the cluster. Nil is no cluster, on purpose: the node
	// works alone and is the primary.
	Source cluster.Source
	// Bus carries snapshots and probe results. It is required with a Source.
	Bus Bus
	// Role is the role of the cluster in which one node is the primary. Empty is
	// the whole cluster.
	Role string
	// Sites are the user's own sites of the primary gate, beside the three.
	Sites []string
	// Levels is how the service level is computed.
	Levels LevelPolicy
	// Database asks the database that the nodes share, as sql.DB.PingContext
	// does. Nil is no database, which counts as reachable.
	Database func(context.Context) error
	// Prober tries the endpoints of peers. Nil is a TCP connect to the peer's
	// address.
	Prober Prober

	// 0 is 5 s, 2 s, 5 s, 2 s, 5 s, 250 ms, 10 s.
	DatabaseInterval, DatabaseTimeout time.Duration
	ProbeInterval, ProbeTimeout       time.Duration
	HealthInterval                    time.Duration
	Debounce                          time.Duration
	RepublishInterval                 time.Duration
}

// Publisher shows the service level to clients, such as by writing it into the
// ServiceLevel of an OPC UA server.
type Publisher interface {
	PublishServiceLevel(level uint8) error
}

// Option sets a collaborator of a Node.
type Option interface{ apply(*Node) }

type optionFunc func(*Node)

func (f optionFunc) apply(n *Node) { f(n) }

// WithLogger sets the logger. The default logs nothing.
func WithLogger(l *slog.Logger) Option { return optionFunc(func(n *Node) { n.log = l }) }

// WithClock sets the clock of ages. The default is cluster.BootClock.
func WithClock(c cluster.Clock) Option { return optionFunc(func(n *Node) { n.clock = c }) }

// Node is the redundancy of one node.
type Node struct {
	config Config
	log    *slog.Logger
	clock  cluster.Clock
}

// New returns a Node. It starts nothing and does no I/O.
func New(c Config, opts ...Option) (*Node, error) {
	n := &Node{config: c, log: slog.New(slog.DiscardHandler), clock: cluster.BootClock{}}
	for _, o := range opts {
		o.apply(n)
	}
	return n, errors.New("redundancy: not built yet")
}

// Run does the work until ctx ends.
func (n *Node) Run(ctx context.Context) error { return nil }

// Bind sets who shows the level, from now on; it is told the present level at once.
func (n *Node) Bind(p Publisher) {}

// ServiceLevel returns the level; it is 0 until one was computed.
func (n *Node) ServiceLevel() uint8 { return 0 }

// Role returns the role that the primary gate goes by now.
func (n *Node) Role() Role { return RoleUnknown }

// Site returns the gate of a site, nil when it was not configured; a nil Site denies.
func (n *Node) Site(name string) *Site { return nil }

// State returns what exporters tell.
func (n *Node) State() State { return State{} }

// Check is the node's entry.
func (n *Node) Check(ctx context.Context) check.Result { return check.Result{} }

// Instant marks it as a check that reads memory.
func (n *Node) Instant() {}

// Database is the check of the shared database, which reads the last answer.
func (n *Node) Database() check.Checker { return nil }
