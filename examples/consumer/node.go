package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
	"github.com/loopvitals/loopvitals/tiers/adapter/node"
)

// nodeSettings make the consumer a node: one that supervisors ask by a command,
// or by an adapter that runs it, and that customers reach at its door. All of them
// are given, or none.
type nodeSettings struct {
	name    string // as an adapter is told it
	ingress string // address of the door, which may be for the network
	socket  string // where `loopvitals observe` asks
	token   string // file with what it must know
	state   string // file of the clock
}

// limits of the door. They are small, so that a full one can be looked at.
var limits = node.Limits{Connections: 16, Exchanges: 8, Buffers: 64 << 10}

// nodeSide is what there is more of in a node.
type nodeSide struct {
	clock    *clock
	door     *door
	server   *http.Server
	observed *node.Server
}

// startNode opens the door and the socket. It is the other part of this program to
// copy.
func (a *app) startNode(s nodeSettings, log *slog.Logger) (err error) {
	n := new(nodeSide)
	a.node = n // what has been opened is closed by stop
	if n.clock, err = openClock(s.state); err != nil {
		return err
	}
	// Wedged: would only a restart help, or somebody's hand? That, and no
	// dependency, is what a supervisor restarts a node for.
	set := a.health.tiers
	if err := errors.Join(
		set.AddWedged("wedged", a.health.monitor.Wedged(0)),
		set.AddWedged("clock", n.clock.check()),
	); err != nil {
		return err
	}

	ingress, err := node.NewIngress(limits, "door")
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", s.ingress)
	if err != nil {
		return fmt.Errorf("ingress: %w", err)
	}
	public, err := ingress.Listener("door", "consumer", l)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	n.door = &door{clock: n.clock, js: a.broker.js, hold: ingress.Hold}
	n.server = &http.Server{Handler: ingress.Handler(n.door.routes()), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	a.background(func(context.Context) error { return n.serve(public) })

	if n.observed, err = node.Listen(node.Config{
		Socket:    s.socket,
		TokenFile: s.token,
		Source: node.Source{
			Node:    s.name,
			Healthy: node.Tier(set, tiers.Wedged),
			Owner:   node.Holds(n.clock.owned),
			Ready:   node.Tier(set, tiers.Ready),
			Ingress: ingress,
		},
	}, node.WithLogger(log)); err != nil {
		return err
	}
	a.background(n.observed.Serve)
	return nil
}

func (n *nodeSide) serve(l net.Listener) error {
	if err := n.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// shut closes the socket before the door: no supervisor is told of a door that is
// closed on purpose, and nobody at it is left standing.
func (n *nodeSide) shut() error {
	n.observed.Close()
	if n.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	return errors.Join(n.server.Shutdown(ctx), n.server.Close())
}

// check reads the clock's file.
func (c *clock) check() check.Checker {
	return check.Func(func(context.Context) check.Result {
		if err := c.intact(); err != nil {
			return check.Result{Status: check.Unhealthy, Description: "the clock's file is not what was written", Err: err}
		}
		return check.Result{Status: check.Healthy, Description: "the clock's file is whole"}
	})
}
