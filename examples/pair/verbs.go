package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/device"
	"github.com/loopvitals/loopvitals/examples/pair/engine"
	"github.com/loopvitals/loopvitals/examples/pair/follow"
	"github.com/loopvitals/loopvitals/examples/pair/node"
)

// lookEvery is how often the proxy asks the nodes. An orchestrator does it each
// second or less often.
const lookEvery = 100 * time.Millisecond

func runNode(ctx context.Context, o options) error {
	kv, disconnect, err := engine.Open(o.engine, o.endpoints)
	if err != nil {
		return err
	}
	defer disconnect()
	client := device.NewClient(o.device)
	defer client.Close()
	n, err := node.New(node.Config{
		Address: o.address,
		TTL:     o.ttl,
		Every:   10 * time.Millisecond,
		KV:      kv,
		Device:  client,
		Logger:  slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	return n.Run(ctx)
}

func runDevice(ctx context.Context, o options) error {
	return serve(ctx, o.address, &device.Device{})
}

func runProxy(ctx context.Context, o options) error {
	p := follow.New(o.nodes...)
	go p.Run(ctx, lookEvery)
	return serve(ctx, o.address, p)
}

// serve serves until ctx ends.
func serve(ctx context.Context, address string, h http.Handler) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
