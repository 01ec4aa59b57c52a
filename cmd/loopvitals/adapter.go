package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter"
)

const adapterAbout = `usage: loopvitals adapter --config FILE

Runs the command of FILE again and again, and answers HTTP probes on a loopback
address from what it last said, until SIGTERM or SIGINT. Logs JSON lines on stderr.
docs/adapter.md tells about the file.

The exit code is 0 after a signal, 1 when it cannot run, and 2 for a file that cannot
be used. A second signal ends it at once.

`

// runAdapter answers probes for a node until it is told to stop.
func runAdapter(args []string, stdout, stderr io.Writer) (exit int) {
	set := flag.NewFlagSet("loopvitals adapter", flag.ContinueOnError)
	path := set.String("config", "", "`file` with the configuration, JSON")
	rest, done, exit := parse(set, adapterAbout, args, stdout, stderr)
	switch {
	case done:
		return exit
	case len(rest) > 0:
		return fail(stderr, "adapter", fmt.Errorf("argument %q: must be a flag", rest[0]), exitUsage)
	case *path == "":
		return fail(stderr, "adapter", errors.New("config: must be given"), exitUsage)
	}
	config, err := adapter.ReadConfig(*path)
	if err != nil {
		return fail(stderr, "adapter", err, exitUsage)
	}
	keepInherited()
	config.Subreaper = true // every child of this process is the command's, or New refuses
	signals := handleSignals()
	lines := newQueue(stderr)
	defer lines.flush(flushLimit)
	logger := slog.New(slog.NewJSONHandler(lines, nil))
	a, err := adapter.New(config, adapter.WithLogger(logger))
	if err != nil {
		return fail(stderr, "adapter", err, exitFailed)
	}
	limitMemory()
	minute := time.NewTicker(reportEvery)
	defer minute.Stop()
	return serve(a, signals, minute.C, report{logger, lines, time.Now()})
}

// serve runs the adapter, stops it at the first signal, and reports what it uses at
// its start, each minute and at its end.
func serve(a *adapter.Adapter, signals <-chan os.Signal, minute <-chan time.Time, r report) (exit int) {
	ended := make(chan error, 1)
	go func() { ended <- a.Run(context.Background()) }() //nolint:forbidigo // until Stop
	r.started(a)
	for {
		select {
		case <-minute:
			r.resources(a)
		case s := <-signals:
			return stop(a, s, signals, ended, r)
		case err := <-ended:
			r.logger.Error("cannot run", "error", err)
			return exitFailed
		}
	}
}

// stop ends the adapter within stopLimit of the first signal, or within hurry of the
// second one.
func stop(a *adapter.Adapter, first os.Signal, signals <-chan os.Signal, ended <-chan error, r report) (exit int) {
	began := time.Now()
	a.Stop()
	late := time.NewTimer(stopLimit)
	defer late.Stop()
	for {
		select {
		case err := <-ended:
			r.resources(a)
			r.logger.Info("stopped", "signal", first.String(), "tookMs", time.Since(began).Milliseconds())
			if err != nil {
				return exitFailed
			}
			return exitOK
		case <-signals:
			late.Reset(hurry)
			signals = nil
		case <-late.C:
			r.logger.Error("stopped before all had ended", "signal", first.String())
			return exitFailed
		}
	}
}

// How long the end of all work is waited for: a command in a system call that
// cannot be interrupted must not keep this process. All in all a stop takes less
// than 500 ms (A10).
const (
	stopLimit  = 400 * time.Millisecond
	hurry      = 20 * time.Millisecond // in which the command is at least killed
	flushLimit = 50 * time.Millisecond // for the last lines of the log
)

// handleSignals has the signals that end the adapter sent to a channel, and keeps
// SIGPIPE from ending it when nobody reads its log. They are handled and not
// ignored: a command would inherit that.
func handleSignals() <-chan os.Signal {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	return signals
}

// limitMemory keeps the heap small, which holds next to nothing, unless the
// environment says otherwise.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(heapLimit)
	}
}

const heapLimit = 10 << 20
