//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/engine"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] != "" && os.Args[1][0] != '-' {
		if err := child(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// The first SIGINT or SIGTERM ends ctx, and with it everything. A second
	// one kills: restore gives the signals back to the runtime.
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore)
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	restore()
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e-cluster:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("e2e-cluster", flag.ContinueOnError)
	flags.SetOutput(stderr)
	n := flags.Int("rounds", usualRounds(), "how often each fault is done; with LOOPVITALS_SOAK set, 60 unless told")
	only := flags.String("only", "", "one fault, by the beginning of its name")
	engines := flags.String("engine", "both", "nats, etcd or both")
	seed := flags.Uint64("seed", uint64(time.Now().UnixNano()), "for the moments at which faults are done")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 0 || *n < 1 {
		return errors.New("give at least one round, and no arguments")
	}
	kinds := []engine.Kind{engine.NATS, engine.Etcd}
	if *engines != "both" {
		k, err := engine.Parse(*engines)
		if err != nil {
			return err
		}
		kinds = []engine.Kind{k}
	}
	chosen := choose(faults(), *only)
	if len(chosen) == 0 {
		return fmt.Errorf("fault %q: not known", *only)
	}
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = errors.New("interrupted") // what broke off tells nothing
		}
	}()
	folder, err := os.MkdirTemp("", "loopvitals-e2e-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	p := &run{out: stdout, begun: time.Now(), folder: folder, rounds: *n, seed: *seed, kinds: kinds, faults: chosen}
	if err := p.all(ctx); err != nil {
		return err
	}
	if p.leftOut != "" {
		fmt.Fprintln(stdout, "\nleft out:", p.leftOut)
	}
	fmt.Fprintf(stdout, "\ne2e-cluster: ok (%.0f s)\n", time.Since(p.begun).Seconds())
	return nil
}

// usualRounds are few enough for every change, or many for a night.
func usualRounds() int {
	if os.Getenv("LOOPVITALS_SOAK") != "" {
		return 60
	}
	return 6
}
