package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/node"
)

// exitNo is for a node that was asked and cannot be observed, or is not healthy.
const exitNo = 1

// observeTimeout leaves half a second of the adapter's limit on its command for
// starting and ending this process.
const observeTimeout = time.Second

// runObserve prints a node's observation. It is the fixed operation of an adapter
// (S2.2): nothing that it does depends on who probes.
func runObserve(args []string, stdout, stderr io.Writer) (exit int) {
	var (
		socket, token string
		timeout       time.Duration
	)
	set := flag.NewFlagSet("loopvitals observe", flag.ContinueOnError)
	set.StringVar(&socket, "socket", "", "absolute `path` of the node's unix socket")
	set.StringVar(&token, "token-file", "", "`path` of the file with the node's token")
	set.DurationVar(&timeout, "timeout", observeTimeout, "how long all of it may take")
	about := "usage: loopvitals observe --socket PATH --token-file FILE [--timeout 1s]\n\n" +
		"Prints what a node says about itself, as one line of JSON.\n\n"
	if done, exit := parse(set, about, args, stdout, stderr); done {
		return exit
	}
	err := missing(set.Args(), "socket", socket, "token-file", token)
	if err == nil {
		err = within("timeout", timeout, time.Millisecond, maxTimeout)
	}
	if err != nil {
		return fail(stderr, "observe", err, exitUsage)
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	text, err := node.Observe(ctx, socket, token)
	if err == nil {
		_, err = stdout.Write(text)
	}
	if err != nil {
		return fail(stderr, "observe", err, exitNo)
	}
	return exitOK
}

// maxTimeout bounds every -timeout.
const maxTimeout = time.Minute

// parse reads the flags. An error is one line; help is whole, and an answer.
func parse(set *flag.FlagSet, about string, args []string, stdout, stderr io.Writer) (done bool, exit int) {
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		set.SetOutput(stdout)
		fmt.Fprint(stdout, about)
		set.PrintDefaults()
		return true, exitOK
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v; -h tells more\n", set.Name(), err)
		return true, exitUsage
	}
	return false, exitOK
}

// missing tells of an argument too many, and of the first flag that is not there.
func missing(rest []string, namesAndValues ...string) error {
	if len(rest) > 0 {
		return fmt.Errorf("argument %q: must be a flag", rest[0])
	}
	for i := 0; i < len(namesAndValues); i += 2 {
		if namesAndValues[i+1] == "" {
			return fmt.Errorf("%s: must be given", namesAndValues[i])
		}
	}
	return nil
}

func within(name string, value, least, most time.Duration) error {
	if value < least || value > most {
		return fmt.Errorf("%s %v: must be %v to %v", name, value, least, most)
	}
	return nil
}

// fail prints one line and returns the exit code.
func fail(stderr io.Writer, verb string, err error, exit int) int {
	fmt.Fprintf(stderr, "loopvitals %s: %v\n", verb, err)
	return exit
}
