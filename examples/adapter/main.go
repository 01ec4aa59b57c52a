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
	if len(os.Args) > 1 && os.Args[1] == misbehaveVerb {
		os.Exit(misbehave(os.Args[2:], os.Stdout, os.Stderr))
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
		fmt.Fprintln(os.Stderr, "e2e-adapter:", err)
		os.Exit(1)
	}
}

// timeLimit is for all that is done once everything is built.
const timeLimit = 4 * time.Minute

func command(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("e2e-adapter", flag.ContinueOnError)
	flags.SetOutput(stderr)
	keep := flags.Bool("keep", false, "leave the folder with the logs behind")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 0 {
		return errors.New("give no arguments")
	}
	folder, err := os.MkdirTemp("", "loopvitals-e2e-adapter-")
	if err != nil {
		return err
	}
	if *keep {
		fmt.Fprintln(stdout, "logs in", folder)
	} else {
		defer os.RemoveAll(folder)
	}
	err = play(ctx, folder, stdout)
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted") // what broke off tells nothing
	}
	return err
}

// play builds the programs and plays the whole trial.
func play(ctx context.Context, folder string, stdout io.Writer) error {
	fmt.Fprintln(stdout, "compiling the consumer and the command (a few minutes the first time)")
	s, err := newStage(ctx, folder)
	if err != nil {
		return err
	}
	defer s.close()
	ctx, cancel := context.WithTimeoutCause(ctx, timeLimit, fmt.Errorf("not done after %v", timeLimit))
	defer cancel()
	t := &trial{stage: s, out: stdout, begun: time.Now()}
	if err := t.all(ctx); err != nil {
		return fmt.Errorf("%w\n%s", errors.Join(err, context.Cause(ctx)), s.state())
	}
	fmt.Fprintf(stdout, "\ne2e-adapter: ok (%.0f s)\n", time.Since(t.begun).Seconds())
	return nil
}
