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
		fmt.Fprintln(os.Stderr, "e2e-pair:", err)
		os.Exit(1)
	}
}

// timeLimit is for the whole trial, so that a part that hangs is told of.
const timeLimit = 5 * time.Minute

func command(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("e2e-pair", flag.ContinueOnError)
	flags.SetOutput(stderr)
	keep := flags.Bool("keep", false, "leave the folder with the logs behind")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 0 {
		return errors.New("give no arguments")
	}
	interrupted := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, timeLimit, fmt.Errorf("not done after %v", timeLimit))
	defer cancel()
	defer func() {
		if err != nil && interrupted.Err() != nil {
			err = errors.New("interrupted") // what broke off tells nothing
		}
	}()
	folder, err := os.MkdirTemp("", "loopvitals-e2epair-")
	if err != nil {
		return err
	}
	if *keep {
		fmt.Fprintln(stdout, "logs in", folder)
	} else {
		defer os.RemoveAll(folder)
	}
	begun := time.Now()
	s, err := newStage(ctx, folder)
	if err != nil {
		return err
	}
	t := &trial{stage: s, out: stdout, begun: begun}
	err = errors.Join(t.all(ctx), ctx.Err())
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, s.state(context.WithoutCancel(ctx)))
	}
	s.close()
	if err != nil {
		return err
	}
	fmt.Fprint(stdout, legend())
	fmt.Fprintf(stdout, "\ne2e-pair: ok (%.0f s)\n", time.Since(begun).Seconds())
	return nil
}
