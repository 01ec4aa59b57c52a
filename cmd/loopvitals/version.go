package main

import (
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

const versionAbout = `usage: loopvitals version

Prints the version of the module that this program was built from, of Go, and the
platform. (devel) is a source tree without version control.

`

// runVersion says which program this is, as a bug report needs it.
func runVersion(args []string, stdout, stderr io.Writer) (exit int) {
	set := flag.NewFlagSet("loopvitals version", flag.ContinueOnError)
	rest, done, exit := parse(set, versionAbout, args, stdout, stderr)
	switch {
	case done:
		return exit
	case len(rest) > 0:
		return fail(stderr, "version", fmt.Errorf("argument %q: must not be given", rest[0]), exitUsage)
	}
	built := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		built = info.Main.Version
	}
	if _, err := fmt.Fprintf(stdout, "loopvitals %s %s %s/%s\n", built, runtime.Version(), runtime.GOOS, runtime.GOARCH); err != nil {
		return fail(stderr, "version", err, exitFailed)
	}
	return exitOK
}
