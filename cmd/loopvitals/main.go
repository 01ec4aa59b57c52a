package main

import (
	"fmt"
	"io"
	"os"
	"slices"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // what was asked for did not work, or the answer is no
	exitUsage  = 2 // arguments that cannot be used, or nothing there to ask
)

// verb is one thing that the command does. Each has a file of its own.
type verb struct {
	name  string
	about string // half a line
	run   func(args []string, stdout, stderr io.Writer) (exit int)
}

var verbs = []verb{
	{"probe", "ask a health endpoint, and tell by the exit code", runProbe},
	{"observe", "print what a node says about itself, from its unix socket", runObserve},
	{"adapter", "answer HTTP probes for a node that only a command can ask", runAdapter},
	{"rules", "print alert and recording rules for Prometheus", runRules},
	{"version", "print which version this is", runVersion},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run finds the verb and runs it.
func run(args []string, stdout, stderr io.Writer) (exit int) {
	if len(args) == 0 {
		usage(stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		if len(args) == 2 {
			return run([]string{args[1], "-h"}, stdout, stderr)
		}
		usage(stdout)
		return exitOK
	}
	i := slices.IndexFunc(verbs, func(v verb) bool { return v.name == args[0] })
	if i < 0 {
		fmt.Fprintf(stderr, "loopvitals: verb %q: must be one of those below\n\n", args[0])
		usage(stderr)
		return exitUsage
	}
	return verbs[i].run(args[1:], stdout, stderr)
}

func usage(w io.Writer) {
	fmt.Fprint(w, "usage: loopvitals <verb> [flags]\n\n")
	for _, v := range verbs {
		fmt.Fprintf(w, "  %-10s %s\n", v.name, v.about)
	}
	fmt.Fprint(w, "\nloopvitals <verb> -h tells more.\n")
}
