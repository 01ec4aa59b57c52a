package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// parse reads the flags, which may stand before and after the arguments. An error
// is one line; help is whole, and an answer. When it is done the verb is, too.
func parse(set *flag.FlagSet, about string, args []string, stdout, stderr io.Writer) (rest []string, done bool, exit int) {
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	for {
		switch err := set.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			set.SetOutput(stdout)
			fmt.Fprint(stdout, about)
			set.PrintDefaults()
			return nil, true, exitOK
		case err != nil:
			fmt.Fprintf(stderr, "%s: %s (-h tells more)\n", set.Name(), oneLine(err.Error()))
			return nil, true, exitUsage
		}
		if args = set.Args(); len(args) == 0 {
			return rest, false, exitOK
		}
		rest, args = append(rest, args[0]), args[1:]
	}
}

// isSet tells whether the flag was given.
func isSet(set *flag.FlagSet, name string) (given bool) {
	set.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// within tells of a duration out of bounds.
func within(name string, value, least, most time.Duration) error {
	if value < least || value > most {
		return fmt.Errorf("%s %v: must be %v to %v", name, value, least, most)
	}
	return nil
}

// fail prints one line and returns the exit code.
func fail(stderr io.Writer, verb string, err error, exit int) int {
	text := strings.TrimPrefix(err.Error(), verb+": ") // a package may be called as its verb
	fmt.Fprintf(stderr, "loopvitals %s: %s\n", verb, oneLine(text))
	return exit
}

// maxLine bounds what an error, which may repeat what a server sent, puts on a
// terminal, in bytes.
const maxLine = 400

// oneLine returns the text without anything that would move the cursor.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
	if len(text) > maxLine {
		return strings.ToValidUTF8(text[:maxLine], "") + "..."
	}
	return text
}
