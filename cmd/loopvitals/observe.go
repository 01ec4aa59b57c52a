package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/node"
)

// observeTimeout leaves half a second of an adapter's limit on its command for
// starting and ending this process.
const observeTimeout = time.Second

// maxTimeout bounds -timeout of every verb.
const maxTimeout = time.Minute

const observeAbout = `usage: loopvitals observe --socket PATH --token-file FILE [--timeout 1s]

Prints what a node says about itself, as one line of JSON, and exits 0. Exits 1
with one line on stderr when it has not got that, and 2 for arguments that cannot
be used.

`

// observeFlags are the flags of the verb observe.
type observeFlags struct {
	socket, token string
	timeout       time.Duration
}

func (f *observeFlags) flagSet() *flag.FlagSet {
	set := flag.NewFlagSet("loopvitals observe", flag.ContinueOnError)
	set.StringVar(&f.socket, "socket", "", "absolute `path` of the node's unix socket")
	set.StringVar(&f.token, "token-file", "", "`path` of the file that holds the node's token")
	set.DurationVar(&f.timeout, "timeout", observeTimeout, "how long all of it may take")
	return set
}

// validate tells of the first argument that cannot be used.
func (f *observeFlags) validate(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("argument %q: must be a flag", rest[0])
	case f.socket == "":
		return errors.New("socket: must be given")
	case !filepath.IsAbs(f.socket):
		return fmt.Errorf("socket %q: must be an absolute path", f.socket)
	case f.token == "":
		return errors.New("token-file: must be given")
	}
	return within("timeout", f.timeout, time.Millisecond, maxTimeout)
}

// runObserve prints a node's observation. It is the fixed operation of an adapter
// (S2.2): nothing that it does depends on who probes.
func runObserve(args []string, stdout, stderr io.Writer) (exit int) {
	var f observeFlags
	rest, done, exit := parse(f.flagSet(), observeAbout, args, stdout, stderr)
	if done {
		return exit
	}
	if err := f.validate(rest); err != nil {
		return fail(stderr, "observe", err, exitUsage)
	}
	ctx, cancel := context.WithTimeout(context.Background(), f.timeout)
	defer cancel()
	text, err := node.Observe(ctx, f.socket, f.token)
	if err == nil {
		_, err = stdout.Write(text)
	}
	if err != nil {
		return fail(stderr, "observe", err, exitFailed)
	}
	return exitOK
}
