package adapter_test

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/loopvitals/loopvitals/tiers/adapter"
)

// A program that is an adapter and nothing else, as the command "loopvitals adapter"
// is: nothing else is its child, so it may adopt and kill what its command leaves.
func Example() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()

	config, err := adapter.ReadConfig("/etc/orders/adapter.json")
	if err != nil {
		slog.Error("configuration", "error", err)
		os.Exit(2)
	}
	config.Subreaper = true
	a, err := adapter.New(config, adapter.WithLogger(slog.Default()))
	if err != nil {
		slog.Error("start", "error", err)
		os.Exit(1)
	}
	slog.Info("answering", "address", a.Addr())
	if err := a.Run(ctx); err != nil {
		slog.Error("run", "error", err)
		os.Exit(1)
	}
}
