package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/tiers"
	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"
)

// health is everything that watches: the monitor of the processors, and the
// tiers that ask it and the dependencies.
type health struct {
	monitor *liveness.Monitor
	tiers   *tiers.Set
}

// newHealth wires the checks. It is the part of this program to copy. The log
// gets the causes, which no answer over HTTP holds.
func newHealth(b *board.Board, policy liveness.Policy, db *database, conn *nats.Conn, leaseHeld func() bool, log *slog.Logger) (*health, error) {
	monitor, err := liveness.NewMonitor(b, liveness.WithPolicy(policy), liveness.WithLogger(log))
	if err != nil {
		return nil, err
	}
	set := tiers.New(tiers.WithLogger(log))
	return &health{monitor: monitor, tiers: set}, errors.Join(
		// Ready: may this process be sent work? One entry for all processors.
		set.AddReady("processors", monitor),
		set.AddReady("database", check.Ping(db.PingContext)),
		set.AddReady("nats", check.Ping(conn.FlushWithContext)),
		// Active: is this the replica that acts? A replica on standby is ready
		// and not active, and nothing is wrong with that.
		set.AddActive("lease", leaseCheck(leaseHeld)),
		// Live takes no checks: restarting the process because a database is
		// away would only add a second outage.
	)
}

// mount adds /health/ready, /health/active and /healthz.
func (h *health) mount(mux *http.ServeMux) error { return h.tiers.Mount(mux) }

// run watches until ctx ends. Without Monitor.Run the verdicts are the same,
// except that a process that was frozen takes its own absence for a wedge.
func (h *health) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return h.monitor.Run(ctx) })
	group.Go(func() error { return h.tiers.Run(ctx) })
	return group.Wait()
}

// leaseCheck reads memory only, so it is evaluated afresh for every probe, and
// agrees with the gate at every moment.
type leaseCheck func() bool

func (held leaseCheck) Check(context.Context) check.Result {
	if held() {
		return check.Result{Status: check.Healthy, Description: "this replica holds the audit lease"}
	}
	return check.Result{Status: check.Unhealthy, Description: "another replica holds the audit lease"}
}

func (leaseCheck) Instant() {}
