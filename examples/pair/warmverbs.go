package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"

	"github.com/loopvitals/loopvitals/examples/pair/engine"
	"github.com/loopvitals/loopvitals/examples/pair/field"
	"github.com/loopvitals/loopvitals/examples/pair/stream"
	"github.com/loopvitals/loopvitals/examples/pair/warm"
)

// warmVerbs are the parts of the warm pair, which have flags of their own.
var warmVerbs = map[string]func(context.Context, []string) error{
	"warm":    runWarm,
	"field":   runField,
	"sensors": runSensors,
}

// runWarm is one node of the warm pair.
func runWarm(ctx context.Context, args []string) (err error) {
	o, err := warm.ParseOptions(args, os.Getenv, flag.NewFlagSet("pair warm", flag.ContinueOnError))
	if err != nil {
		return err
	}
	c, disconnect, err := o.Connect(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	defer disconnect()
	n, err := warm.New(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	return n.Run(ctx)
}

// runField is the device that the warm pair shares.
func runField(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("pair field", flag.ContinueOnError)
	address := flags.String("address", "", "`HOST:PORT` to serve on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *address == "" {
		return errors.New("field: needs -address")
	}
	return serve(ctx, *address, field.New())
}

// runSensors measures all the time.
func runSensors(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("pair sensors", flag.ContinueOnError)
	endpoint := flags.String("engine", "", "`HOST:PORT` of the NATS server")
	every := flags.Duration("every", stream.UsualPace, "how often")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *endpoint == "" || *every <= 0 {
		return errors.New("sensors: needs -engine, and -every above 0")
	}
	conn, js, err := engine.DialNATS([]string{*endpoint})
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := stream.Feed(ctx, stream.New(js), *every); ctx.Err() == nil {
		return fmt.Errorf("sensors: %w", err)
	}
	return nil
}
