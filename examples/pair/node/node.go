// Package node is a service of which one instance acts at a time. It is the part
// of the example to copy: a member of the cluster, the endpoints that an
// orchestrator follows, a gate in front of the work that comes in, and a loop
// that works only while its node is the active one.
package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
	"github.com/loopvitals/loopvitals/examples/pair/device"
	"github.com/loopvitals/loopvitals/tiers"
)

// leaveLimit is how long a node takes at most to hand over before it stops all
// the same; its peers then find out for themselves.
const leaveLimit = 5 * time.Second

// Config is what a node needs.
type Config struct {
	// Address is HOST:PORT, where the node serves and what it is called.
	Address string
	// TTL is how long the others wait for a node that has gone silent.
	TTL time.Duration
	// Every is how often the node writes to the device while it is active.
	Every  time.Duration
	KV     casmember.KV
	Device *device.Client
	Logger *slog.Logger
}

// Node is one instance of the service.
type Node struct {
	// Member is this node in the cluster, and tells who the others are.
	Member *casmember.Node
	// Gate is open while this node is the active one.
	Gate *cluster.Gate
	// Handler serves the health endpoints, and POST /orders while the gate is
	// open.
	Handler http.Handler

	config Config
}

// New puts a node together, and starts nothing.
func New(c Config) (*Node, error) {
	member, err := casmember.New(c.KV, casmember.Config{Address: c.Address, TTL: c.TTL}, casmember.WithLogger(c.Logger))
	if err != nil {
		return nil, err
	}
	gate, err := cluster.NewGate(member)
	if err != nil {
		return nil, err
	}
	n := &Node{Member: member, Gate: gate, config: c}
	mux := http.NewServeMux()
	health := tiers.New()
	if err := errors.Join(
		health.AddReady("membership", cluster.Membership(member, cluster.DefaultPolicy())),
		// By default a node that is still starting is Degraded, which is
		// 200: it need not be restarted, and is not to have the work either.
		// One that can wait to be told whether it is active says no at once.
		health.AddActive("active-node", cluster.Active(member, cluster.ActivePolicy{StartWithin: 1})),
		health.Mount(mux), // /health/ready, /health/active, /healthz
	); err != nil {
		return nil, err
	}
	mux.Handle("POST /orders", tiers.RequireActive(gate, http.HandlerFunc(n.serveOrder)))
	n.Handler = mux
	return n, nil
}

// Run is the life of the node: it serves, joins and works until ctx ends, and
// then leaves.
func (n *Node) Run(ctx context.Context) (err error) {
	listener, err := net.Listen("tcp", n.config.Address)
	if err != nil {
		return fmt.Errorf("node: %w", err)
	}
	server := &http.Server{Handler: n.Handler, ReadHeaderTimeout: 2 * time.Second}
	served, joined := make(chan error, 1), make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	// The member outlives ctx, which only says that it is time to leave.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	go func() { joined <- n.Member.Run(life) }()

	worked := make(chan struct{})
	working, stop := context.WithCancel(ctx)
	go func() { defer close(worked); n.work(working) }()
	defer func() { stop(); <-worked }()

	select {
	case err := <-served:
		end()
		return errors.Join(err, <-joined)
	case err := <-joined:
		return errors.Join(err, server.Close(), ignoreClosed(<-served))
	case <-ctx.Done():
	}
	// First hand over, then stop serving: until another node is active, the
	// clients of this one are told so, and not refused.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveLimit)
	defer cancel()
	err = n.Member.Leave(limited)
	end()
	return errors.Join(err, <-joined, server.Shutdown(limited), ignoreClosed(<-served))
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
