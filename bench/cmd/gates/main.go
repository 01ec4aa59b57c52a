// Command gates measures every performance gate and prints a line for each:
//
//	P1 beat/limit 1.01 <= 1.20 ok
//
// It ends with status 1 when a gate falls short or cannot be measured, and
// with 2 when it was called wrongly. Run it alone: tests or other work beside
// it make the figures worthless.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/bench"
)

func main() {
	// A gate on the collector starts this program anew to hold a heap.
	if served, err := bench.ServeHeap(os.Stdin, os.Stdout); served {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	loadavg, _ := os.ReadFile("/proc/loadavg") // Only Linux has one.
	fmt.Fprint(os.Stderr, warning(loadavg))
	os.Exit(run(bench.Gates(), os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its surroundings as parameters.
func run(gates []bench.Gate, args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("gates", flag.ContinueOnError)
	flags.SetOutput(errs)
	only := flags.String("only", "", "measure only these gates, such as P1,P2")
	rounds := flags.Int("rounds", 0, "rounds of case and baseline per gate; 0 means the default")
	list := flags.Bool("list", false, "list the gates and measure nothing")
	verbose := flags.Bool("v", false, "print the quartiles and both sides' CPU time too")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(errs, "gates: argument %q: none is taken\n", flags.Arg(0))
		return 2
	}
	chosen, err := choose(gates, *only)
	if err != nil {
		fmt.Fprintln(errs, err)
		return 2
	}
	if *list {
		for _, g := range chosen {
			fmt.Fprintln(out, listed(g))
		}
		return 0
	}
	if !measure(chosen, bench.Settings{Rounds: *rounds}, *verbose, out) {
		return 1
	}
	return 0
}

// tries is how often a gate is measured before it has failed. What else goes on
// on a host changes by the second and can only worsen a figure, so those that
// fall short are measured again when all others are done, pause after pause.
const tries = 12

var pause = time.Second

// measure prints a line for each gate when it passed, or when it has failed, and
// tells whether all passed.
func measure(gates []bench.Gate, s bench.Settings, verbose bool, out io.Writer) bool {
	failed := false
	for try := 1; len(gates) > 0; try++ {
		var again []bench.Gate
		for _, g := range gates {
			f, err := g.Measure(s)
			line := g.ID + " " + g.Name
			if err == nil {
				err, line = g.Check(f), g.Line(f)
			}
			switch {
			case err == nil && try == 1:
				line += " ok"
			case err == nil:
				line += fmt.Sprintf(" ok (try %d)", try)
			case try < tries:
				again = append(again, g)
				continue
			default:
				line += " FAIL: " + err.Error()
				failed = true
			}
			fmt.Fprintln(out, line)
			if verbose {
				fmt.Fprintln(out, "    ", f)
			}
		}
		if gates = again; len(gates) > 0 {
			time.Sleep(pause)
		}
	}
	return !failed
}

// warning is what to say beforehand when /proc/loadavg shows that other work is
// going on, and nothing when it does not, or cannot be read.
func warning(loadavg []byte) string {
	const calm = 1 // Building this program is some load of its own.
	minute, _, _ := strings.Cut(string(loadavg), " ")
	if v, err := strconv.ParseFloat(minute, 64); err != nil || v <= calm {
		return ""
	}
	return fmt.Sprintf("gates: load average %s: figures are only good when nothing else runs\n", minute)
}

// choose returns the gates whose number is in the list, all for an empty one.
// An unknown number is an error: a typing mistake must not pass for success.
func choose(gates []bench.Gate, list string) ([]bench.Gate, error) {
	if list == "" {
		return gates, nil
	}
	ids := strings.Split(list, ",")
	for _, id := range ids {
		if !slices.ContainsFunc(gates, func(g bench.Gate) bool { return g.ID == id }) {
			return nil, fmt.Errorf("gates: only %q: no such gate, see -list", id)
		}
	}
	return slices.DeleteFunc(slices.Clone(gates), func(g bench.Gate) bool { return !slices.Contains(ids, g.ID) }), nil
}

// listed is a gate's line in the list.
func listed(g bench.Gate) string {
	bound := "at most"
	if g.Min {
		bound = "at least"
	}
	return fmt.Sprintf("%s %s %s %.2f", g.ID, g.Name, bound, g.Bound)
}
