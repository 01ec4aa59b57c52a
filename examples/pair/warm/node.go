// Package warm is one node of a warm pair, the part of the example to copy. It
// evaluates alarms on every node, and emits them, writes to the device and to the
// history only where it is the primary. It shows clients which node to prefer.
package warm

import (
	"errors"
	"net/http"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/examples/pair/alarm"
	"github.com/loopvitals/loopvitals/examples/pair/space"
	"github.com/loopvitals/loopvitals/examples/pair/stream"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/tiers"
)

// SiteHistory is the gate of this service's own durable side effect (S4.48).
const SiteHistory = "history"

// Limit is when an alarm is raised. Both nodes must have the same.
var Limit = alarm.Limit{High: 80, Band: 5}

// Node is one node of the pair.
type Node struct {
	// Member is this node in the cluster, and Redundancy what it is to its
	// peers and clients.
	Member     *casmember.Node
	Redundancy *redundancy.Node
	// Handler serves everything.
	Handler http.Handler

	config  Config
	board   *board.Board
	monitor *liveness.Monitor
	health  *tiers.Set
	metrics *metrics
	alarms  *alarm.State
	space   *space.Space
	streams *stream.Streams
	pending pending
	loops   map[string]*board.Reporter
}

// New puts a node together, and starts nothing. Close ends what it holds.
func New(c Config) (n *Node, err error) {
	if c.Identity, err = c.Identity.settle(); err != nil {
		return nil, err
	}
	n = &Node{
		config: c, board: board.New(), health: tiers.New(tiers.WithLogger(c.Log)),
		alarms: alarm.New(Limit), streams: stream.New(c.JS), loops: map[string]*board.Reporter{},
	}
	n.Member, err = casmember.New(c.KV, casmember.Config{Address: c.Address, Roles: c.Roles, TTL: c.TTL}, casmember.WithLogger(c.Log))
	if err != nil {
		return nil, err
	}
	n.Redundancy, err = redundancy.New(redundancy.Config{
		Source:    n.Member,
		Bus:       c.Bus,
		Role:      Role,
		Sites:     []string{SiteHistory},
		Database:  c.Database.PingContext,
		Advertise: c.Advertise,
		Peers:     c.Peers,
		Levels:    redundancy.LevelPolicy{DatabaseStaleAfter: c.StaleAfter, SnapshotStaleAfter: c.StaleAfter},

		HealthInterval:    c.Health,
		DatabaseInterval:  c.Times.Database,
		ProbeInterval:     c.Probe,
		RepublishInterval: c.Republish,
	}, redundancy.WithLogger(c.Log))
	if err != nil {
		return nil, err
	}
	for _, id := range []string{loopAlarms, loopEmit, loopHistory} {
		if n.loops[id], err = n.board.Register(board.Spec{ID: id}); err != nil {
			return nil, err
		}
	}
	if n.monitor, err = liveness.NewMonitor(n.board, liveness.WithLogger(c.Log)); err != nil {
		return nil, err
	}
	if n.metrics, err = newMetrics(n); err != nil {
		return nil, err
	}
	n.space = &space.Space{Config: c.Database.Nodes, Failed: n.metrics.counters.applyFailed, Log: c.Log}
	n.Handler, err = n.routes()
	return n, errors.Join(err)
}

// Close ends the metrics.
func (n *Node) Close() error { return n.metrics.close() }

// routes is everything that the node serves.
func (n *Node) routes() (http.Handler, error) {
	mux := http.NewServeMux()
	if err := errors.Join(
		n.health.AddReady("processors", n.monitor),
		n.health.AddReady("membership", cluster.Membership(n.Member, cluster.DefaultPolicy())),
		n.health.AddReady("redundancy", n.Redundancy),
		n.health.AddReady("database", n.Redundancy.Database()), // the answer that the level goes by
		n.health.AddActive("active-node", cluster.Active(n.Member, cluster.ActivePolicy{Roles: []string{Role}, StartWithin: 1})),
		n.health.Mount(mux), // /health/ready, /health/active, /healthz
	); err != nil {
		return nil, err
	}
	mux.Handle("GET /service-level", n.Redundancy)
	mux.Handle("GET /metrics", n.metrics.handler)
	// Only the primary writes. Anybody else is told who that is.
	mux.Handle("POST /write", tiers.RequireActive(n.Redundancy.Site(redundancy.SiteWrite), n.writer()))
	// Everybody takes acknowledgements in, and shows alarms and items.
	mux.HandleFunc("POST /ack", n.serveAck)
	mux.HandleFunc("POST /deploy", n.serveDeploy)
	mux.HandleFunc("GET /alarms", n.serveAlarms)
	mux.HandleFunc("GET /items", n.serveItems)
	return mux, nil
}
