//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/engine"
	"github.com/loopvitals/loopvitals/examples/pair/field"
	"github.com/loopvitals/loopvitals/examples/pair/warm"
)

// child is what this program does under another verb. It ends with SIGTERM.
func child(verb string, args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	switch verb {
	case "engine":
		address, folder := flags.String("address", "", ""), flags.String("folder", "", "")
		if err := flags.Parse(args); err != nil {
			return err
		}
		return engine.Serve(ctx, engine.NATS, *address, *folder, func() {})
	case "field":
		address := flags.String("address", "", "")
		if err := flags.Parse(args); err != nil {
			return err
		}
		return runField(ctx, *address)
	case "warm":
		return runWarm(ctx, args, flags)
	default:
		return fmt.Errorf("verb %q: not known", verb)
	}
}

func runField(ctx context.Context, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: field.New(), ReadHeaderTimeout: time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// runWarm is a node of the example, watched, whose calendar can be set wrong.
func runWarm(ctx context.Context, args []string, flags *flag.FlagSet) (err error) {
	path := flags.String("journal", "", "file for what the node shows")
	o, err := warm.ParseOptions(args, os.Getenv, flags)
	if err != nil {
		return err
	}
	c, disconnect, err := o.Connect(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	defer disconnect()
	calendar := &calendar{Bus: c.Bus}
	c.Bus = calendar
	n, err := warm.New(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	mux := http.NewServeMux()
	mux.Handle("/", n.Handler)
	mux.Handle("POST "+calendarPath, calendar)
	n.Handler = mux
	file, err := os.OpenFile(*path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	// The watch goes on until the node shows nothing any more.
	watching, stop := context.WithCancel(context.Background())
	watched := make(chan struct{})
	go func() { defer close(watched); watch(watching, file, n) }()
	err = n.Run(ctx)
	stop()
	<-watched
	return err
}
