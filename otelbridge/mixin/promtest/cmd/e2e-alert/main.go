// Command e2e-alert shows that somebody is woken when a loop wedges: with the
// rules of package mixin in a real Prometheus, and a real Alertmanager that posts
// to a webhook, it watches examples/consumer while a handler hangs and while the
// process dies, first scraped and then pushing over OTLP. It prints what took how
// long, and exits with status 1 if anything did not happen.
//
// It needs the go command and the sources of the repository, and starts nothing
// that outlives it. Linux and macOS.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	// buildLimit is for a slow machine that compiles Prometheus.
	buildLimit = 30 * time.Minute
	// runLimit is for everything that comes after.
	runLimit = 4 * time.Minute
)

func main() {
	// The first SIGINT or SIGTERM ends ctx, and with it everything. A second
	// one kills: restore gives the signals back to the runtime.
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore)
	err := run(ctx, os.Stdout)
	restore()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e-alert:", err)
		os.Exit(1)
	}
}

// run returns when everything has been seen, or at the first thing that was not.
func run(ctx context.Context, out io.Writer) (err error) {
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = errors.New("interrupted") // what broke off tells nothing
		}
	}()
	fmt.Fprint(out, prologue)
	folder, err := os.MkdirTemp("", "loopvitals-e2e-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	consumer, err := build(ctx, out, folder)
	if err != nil {
		return err
	}
	rules, err := shortRules()
	if err != nil {
		return err
	}
	if err := rules.tell(out); err != nil {
		return err
	}

	limited, cancel := context.WithTimeoutCause(ctx, runLimit, fmt.Errorf("not done after %v", runLimit))
	defer cancel()
	p := &play{ctx: limited, out: out, consumer: consumer, rules: rules, begun: time.Now()}
	for _, act := range []func(*play) error{pull, push} {
		if err := act(p); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\ne2e-alert: ok (%d steps in %.0f s)\n", p.steps, p.seconds())
	return nil
}

const prologue = `e2e-alert: a loop of examples/consumer hangs, and then its process dies. Is somebody told?

`
