//go:build linux

package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	heading = "%-26s %-6s %6s   %6s %6s %6s   %6s   %7s   %-8s   %8s %7s\n"
	line    = heading
)

// printTable prints one line for each fault and engine.
func printTable(out io.Writer, results []result) {
	fmt.Fprintf(out, heading, "", "", "", "fail-", "over", "in ms", "gap", "overlap", "", "stale", "writes")
	fmt.Fprintf(out, heading, "fault", "engine", "rounds", "min", "median", "max", "in ms", "in ms", "youngest", "accepted", "refused")
	fmt.Fprintln(out, strings.Repeat("-", 113))
	for _, res := range results {
		printLine(out, res)
	}
}

func printLine(out io.Writer, res result) {
	if len(res.rounds) == 0 {
		fmt.Fprintf(out, "%-26s %-6s %6d\n", res.fault.name, res.engine, 0)
		return
	}
	failovers := res.failovers()
	gap := "-"
	if !res.fault.lapse {
		gap = milliseconds(res.durations(func(r round) time.Duration { return r.gap })[0])
	}
	accepted, refused := res.stale()
	fmt.Fprintf(out, line, res.fault.name, res.engine, fmt.Sprint(len(res.rounds)),
		milliseconds(failovers[0]), milliseconds(quantile(failovers, 0.5)), milliseconds(quantile(failovers, 1)),
		gap, tenths(res.overlap()), res.youngestText(), fmt.Sprint(accepted), fmt.Sprint(refused))
}

func (res *result) youngestText() string {
	switch yes, of := res.youngest(); {
	case res.control() || of == 0:
		return "-"
	case yes == of:
		return "yes"
	default:
		return fmt.Sprintf("%d of %d", yes, of)
	}
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.0f", d.Seconds()*1e3) }

// tenths does not round an overlap to nothing.
func tenths(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	return fmt.Sprintf("%.3f", d.Seconds()*1e3)
}
