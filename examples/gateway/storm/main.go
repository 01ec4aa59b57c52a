// Command storm replays an incident: a gateway that can do one thing at a time stalls
// while two consumers of 244 items each are deployed, and their requests keep it busy
// after it could work again. It is played four times: as it was, with an in-flight guard
// and back-off in front of the requests (lever 1), with requests for many items at once
// (lever 2), and with both and a longer time limit for commands (lever 3).
//
//	cd examples && go run ./gateway/storm
//
// It is real gRPC over loopback, and time goes by faster than is told. At the end there
// are a table, a picture of it, and "e2e-storm: ok" or what was not reached.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
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
		fmt.Fprintln(os.Stderr, "e2e-storm:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("e2e-storm", flag.ContinueOnError)
	flags.SetOutput(stderr)
	faster := flags.Int("faster", 10, "how many times faster time goes by than is told, 1 to 20")
	plot := flags.String("plot", filepath.Join(os.TempDir(), "loopvitals-storm.svg"), "the file of the picture")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 0 || *faster < 1 || *faster > 20 {
		return fmt.Errorf("faster %d: must be 1 to 20, and there are no arguments", *faster)
	}
	began := time.Now()
	outcomes, err := playAll(ctx, speed(*faster), stdout)
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted") // what broke off tells nothing
		}
		return err
	}
	printNotes(stdout, outcomes)
	if err := os.WriteFile(*plot, picture(outcomes), 0o644); err != nil {
		return fmt.Errorf("the picture: %w", err)
	}
	fmt.Fprintf(stdout, "\nThe picture is in %s\n", *plot)
	if missed := missed(outcomes); len(missed) > 0 {
		return errors.Join(missed...)
	}
	fmt.Fprintf(stdout, "\ne2e-storm: ok (%.0f s)\n", time.Since(began).Seconds())
	return nil
}

// playAll plays the variants one after the other, and prints a line for each.
func playAll(ctx context.Context, s speed, out io.Writer) ([]outcome, error) {
	printHeading(out, s)
	var outcomes []outcome
	for _, v := range variants() {
		n, err := loopback(ctx)
		if err != nil {
			return nil, err
		}
		o, err := play(ctx, v, s, n, patience)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		printLine(out, o)
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}
