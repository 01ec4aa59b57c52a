// Command quickstart is the smallest whole service: one loop that works off
// orders from a database, and the endpoints that tell whether it still does.
// Run it, then ask
//
//	curl -i 127.0.0.1:8080/health/ready
//
// The marked lines are the README's quick start, which a test compares with
// them.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/tiers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err == nil {
		err = run(ctx, listener)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// run serves the endpoints on listener and works off orders until ctx ends.
func run(ctx context.Context, listener net.Listener) error {
	db, err := openQueue(ctx)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer db.Close()
	mux := http.NewServeMux()
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	poll := func(ctx context.Context) int64 { return turn(ctx, db) }
	return consume(ctx, mux, db, poll)
}

func consume(ctx context.Context, mux *http.ServeMux, db *sql.DB, poll func(context.Context) int64) error {
	// README:begin
	b := board.New()
	orders := b.MustRegister(board.Spec{ID: "orders", Interval: 250 * time.Millisecond})

	loops, err := liveness.NewMonitor(b)
	if err != nil {
		return err
	}
	go loops.Run(ctx)

	health := tiers.New()
	if err := errors.Join(
		health.AddReady("processors", loops),
		health.AddReady("database", check.Ping(db.PingContext)),
		health.Mount(mux), // /health/ready, /health/active, /healthz
	); err != nil {
		return err
	}

	for ctx.Err() == nil {
		behind := poll(ctx)    // one turn of your loop
		orders.BeatLag(behind) // or orders.Beat()
	}
	// README:end
	return nil
}
