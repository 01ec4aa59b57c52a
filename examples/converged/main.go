// Command converged is the health side of a service that has a standby: all
// three endpoints, a database and a gRPC dependency that make it ready, and a
// gate of its own that lets only the active node write.
//
//	converged -listen 127.0.0.1:8080 -payments 127.0.0.1:9090 -active
//
//	curl -i 127.0.0.1:8080/health/ready     may this node be sent work?
//	curl -i 127.0.0.1:8080/health/active    is this the node that does the work?
//	curl -i 127.0.0.1:8080/healthz          does the process answer at all?
//	curl -i -X POST 127.0.0.1:8080/orders   refused on a standby
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/grpccheck"
	"github.com/loopvitals/loopvitals/tiers"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	_ "modernc.org/sqlite" // the driver "sqlite", in pure Go
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "serve on this `address`")
	payments := flag.String("payments", "127.0.0.1:9090", "the gRPC dependency's `address`")
	active := flag.Bool("active", false, "be the active node")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *payments, *active); err != nil {
		fmt.Fprintln(os.Stderr, "converged:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address, payments string, active bool) error {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := dial(payments)
	if err != nil {
		return err
	}
	defer conn.Close()
	var r role
	r.active.Store(active)
	handler, err := newHandler(db, conn, &r)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stopped()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// dial connects lazily and, after an outage, tries again every second: grpc's
// own default would let a node stay unready for up to two minutes.
func dial(address string) (*grpc.ClientConn, error) {
	return grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()), // loopback; use TLS on a network
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: time.Second, Multiplier: 1, MaxDelay: time.Second}}),
	)
}

// newHandler is the wiring: every check once, each on the tier it belongs to.
func newHandler(db *sql.DB, payments *grpc.ClientConn, r *role) (http.Handler, error) {
	mux := http.NewServeMux()
	set := tiers.New()
	err := errors.Join(
		set.AddReady("database", check.SQL(db)),
		set.AddReady("payments", grpccheck.New(payments)),
		set.AddActive("role", r),
		set.Mount(mux), // /health/ready, /health/active, /healthz; canonical JSON
	)
	// The gate and the active tier ask the same role, so they cannot disagree.
	mux.Handle("POST /orders", tiers.RequireActive(r, http.HandlerFunc(takeOrder)))
	return mux, err
}

func takeOrder(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }

// role is this application's own notion of being active. It is a tiers.Gate and
// an instant check. The zero role is a standby.
type role struct{ active atomic.Bool }

// IsActive implements tiers.Gate.
func (r *role) IsActive() bool { return r.active.Load() }

// Check implements check.Checker.
func (r *role) Check(context.Context) check.Result {
	if r.IsActive() {
		return check.Result{Status: check.Healthy, Description: "active"}
	}
	return check.Result{Status: check.Unhealthy, Description: "standby"}
}

// Instant says that Check only reads memory, so each probe sees the role as it
// is then.
func (r *role) Instant() {}
