package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/loopvitals/loopvitals/tiers"
)

// routes is everything on the address.
func (a *app) routes() (http.Handler, error) {
	mux := http.NewServeMux()
	if err := a.health.mount(mux); err != nil {
		return nil, err
	}
	mux.Handle("GET /metrics", a.metrics.handler)
	mux.HandleFunc("GET /orders", a.countOrders)
	mux.Handle("GET /accounts", tiers.RequireActive(a.audit, a.accounts))
	mux.Handle("/demo/", a.control())
	// No page in a browser can turn the knobs by posting to loopback.
	return http.NewCrossOriginProtection().Handler(mux), nil
}

// control has the knobs of each processor.
func (a *app) control() *control {
	c := &control{db: a.db, knobs: map[string]knobs{}}
	for key, hand := range a.hands {
		c.knobs[key] = knobs{
			hand:    hand,
			polls:   key == ordersKey || key == auditKey,
			faulted: func() bool { return a.supervisor.faulted(key) },
			restart: func() error { return a.restart(key) },
			standby: func() error { return a.supervisor.standby(key) },
			resume:  func() error { return a.supervisor.resume(key) },
		}
	}
	audit, rebuild := c.knobs[auditKey], c.knobs[rebuildKey]
	audit.standby = func() error { moveLease(a.audit, a.other); return nil }
	audit.resume = func() error { moveLease(a.other, a.audit); return nil }
	c.knobs[auditKey] = audit
	rebuild.restart = func() error {
		if a.supervisor.running(rebuildKey) {
			return a.restart(rebuildKey)
		}
		return a.rebuild()
	}
	c.knobs[rebuildKey] = rebuild
	return c
}

// restart gives the new incarnation a good start: a fault that was asked for
// twice has been had.
func (a *app) restart(key string) error {
	if a.supervisor.faulted(key) {
		a.hands[key].calm()
	}
	return a.supervisor.restart(key)
}

// moveLease makes one replica hand the lease over to the other.
func moveLease(from, to *audit) {
	from.lease.compete(false)
	to.lease.compete(true)
}

// listen binds to loopback only: the demo's knobs are not for the network.
func listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address %q: must be HOST:PORT, such as 127.0.0.1:8080", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("address %q: must be a loopback address, such as 127.0.0.1:8080", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot serve on %s: %w", address, err)
	}
	return l, nil
}

// serveOn watches, and answers on l until the returned function is called,
// which waits for the requests in progress.
func (a *app) serveOn(l net.Listener) (stop func() error, err error) {
	handler, err := a.routes()
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	a.background(a.health.run)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	a.background(func(context.Context) error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		return server.Shutdown(ctx)
	}, nil
}

// serve runs the consumer until ctx ends.
func serve(ctx context.Context, out, logs io.Writer, address string, s settings) (err error) {
	l, err := listen(address)
	if err != nil {
		return err
	}
	a, err := startApp(ctx, s, slog.New(slog.NewTextHandler(logs, nil)))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, a.stop()) }()
	stop, err := a.serveOn(l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := a.rebuild(); err != nil {
		return err
	}
	fmt.Fprintf(out, serving, "http://"+l.Addr().String())
	select {
	case <-ctx.Done():
		fmt.Fprintln(out, "stopping")
		return nil
	case err := <-a.fail:
		return err
	}
}

const serving = `serving on %[1]s, until interrupted (Ctrl-C)

  curl -i %[1]s/health/ready      may this process be sent work?
  curl -i %[1]s/health/active     is this the replica that acts?
  curl -i %[1]s/healthz           does the process answer at all?
  curl -s %[1]s/metrics           the same verdicts for Prometheus

  curl -X POST '%[1]s/demo/wedge?processor=orders'     then watch ready turn 503 after 5 s
  curl -X POST '%[1]s/demo/release?processor=orders'   and the same with .../demo/freeze
  curl -X POST '%[1]s/demo/fault?processor=billing'    and .../demo/restart?processor=billing
  curl -X POST '%[1]s/demo/standby?processor=audit'    and .../demo/resume?processor=audit
  curl -X POST '%[1]s/demo/lag?processor=orders&n=900'
  curl -X POST '%[1]s/demo/db-down'                    and .../demo/db-up

The processors are orders, billing, audit and, while it runs, billing::rebuild::2.
`
