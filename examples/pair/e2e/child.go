//go:build linux

package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/device"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/claim"
	"github.com/loopvitals/loopvitals/examples/pair/engine"
	"github.com/loopvitals/loopvitals/examples/pair/node"
)

// childFlags are all that a child may be told; none uses all.
type childFlags struct {
	engine   engine.Kind
	address  string
	folder   string
	endpoint string
	device   string
	page     string
	ttl      time.Duration
	trusting bool
	network  string
}

// child is what this program does under another verb. It ends with SIGTERM.
func child(verb string, args []string) error {
	var f childFlags
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	kind := flags.String("engine", "nats", "nats or etcd")
	flags.StringVar(&f.address, "address", "", "HOST:PORT to serve on")
	flags.StringVar(&f.folder, "folder", "", "files of the engine")
	flags.StringVar(&f.endpoint, "endpoint", "", "HOST:PORT of the engine")
	flags.StringVar(&f.device, "device", "", "HOST:PORT of the device")
	flags.StringVar(&f.page, "page", "", "file of the claims")
	flags.DurationVar(&f.ttl, "ttl", ttl, "time to live of a record")
	flags.BoolVar(&f.trusting, "trusting", false, "a device that accepts every token")
	flags.StringVar(&f.network, "network", "", "ADDRESS/BITS to configure in an own network namespace")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if f.engine, err = engine.Parse(*kind); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	switch verb {
	case "engine":
		return engine.Serve(ctx, f.engine, f.address, f.folder, func() {})
	case "device":
		return runDevice(ctx, f)
	case nodeVerb:
		return runNode(ctx, f)
	case sessionVerb:
		return runSession(ctx, f)
	default:
		return fmt.Errorf("verb %q: not known", verb)
	}
}

func runDevice(ctx context.Context, f childFlags) error {
	listener, err := net.Listen("tcp", f.address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: &device.Device{Trusting: f.trusting}, ReadHeaderTimeout: time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// runNode is a node of the example, watched.
func runNode(ctx context.Context, f childFlags) error {
	if err := awaitNetwork(ctx, f.network); err != nil {
		return err
	}
	page, err := claim.Open(f.page)
	if err != nil {
		return err
	}
	kv, disconnect, err := engine.Open(f.engine, []string{f.endpoint})
	if err != nil {
		return err
	}
	defer disconnect()
	client := device.NewClient(f.device)
	defer client.Close()
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug}))
	n, err := node.New(node.Config{
		Address: f.address, TTL: f.ttl, Every: writeEvery,
		KV: kv, Device: client, Logger: logger,
	})
	if err != nil {
		return err
	}
	// The watch goes on while the node leaves, and ends with the process.
	go watchGate(page, n)
	go watchTier(page, n)
	go freeze(page, n, client, f.address)
	return n.Run(ctx)
}
