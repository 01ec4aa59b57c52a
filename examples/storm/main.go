// Command storm asks a health endpoint on many connections at the same moment,
// as the replicas of a large fleet's load balancers do after a hiccup.
//
//	storm -n 10000 -rounds 2 http://127.0.0.1:8080/health/ready
//
// It prints a line of JSON: how many probes were answered with which status,
// how many were not, and how long the slowest took. The status is 1 when a
// probe stayed without an answer.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(command(os.Args[1:], os.Stdout, os.Stderr)) }

func command(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("storm", flag.ContinueOnError)
	flags.SetOutput(stderr)
	n := flags.Int("n", 10_000, "how many connections")
	rounds := flags.Int("rounds", 1, "how many probes on each, one after the other")
	if flags.Parse(args) != nil {
		return 2
	}
	if flags.NArg() != 1 || *n < 1 || *rounds < 1 {
		fmt.Fprintln(stderr, "storm: give one URL, and at least one connection and round")
		return 2
	}
	s, err := run(flags.Arg(0), *n, *rounds)
	if err != nil {
		fmt.Fprintln(stderr, "storm:", err)
		return 1
	}
	if err := json.NewEncoder(stdout).Encode(s); err != nil {
		fmt.Fprintln(stderr, "storm:", err)
		return 1
	}
	if s.Lost > 0 {
		fmt.Fprintln(stderr, "storm: first loss:", s.firstLoss)
		return 1
	}
	return 0
}
