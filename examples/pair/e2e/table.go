//go:build linux

package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

const heading = `                                          failover in ms        gap   overlap              stale writes
fault                     engine rounds    min  median     max       ms        ms  youngest  accepted  refused
`

const legend = `
failover  from the fault to the first claim of another node; in the lines of an engine
          that is killed, the longest time in which nobody was active
gap       the least time from the last claim of the old node to the first of the new one
overlap   the longest time in which two nodes held themselves for the active one
youngest  a node that came back was the youngest of the three, and stood by
stale     with a smaller token than the device had accepted before

must be   overlap 0, youngest yes, no stale write accepted and, after a leave, none sent;
          failover at most 4500 ms, 5500 where only answers are lost, 500 for 19 of 20
          leaves. The control must fail: its nodes go by the Done of etcd's own Session, and
          its device trusts them
`

// printTable prints a line for each fault and engine.
func printTable(out io.Writer, results []*result) {
	fmt.Fprint(out, "\n", heading, strings.Repeat("-", strings.IndexByte(heading[strings.IndexByte(heading, '\n')+1:], '\n')), "\n")
	for _, res := range results {
		fmt.Fprintln(out, res.line())
	}
	fmt.Fprint(out, legend)
	blank := "\n"
	note := func(format string, args ...any) {
		fmt.Fprintf(out, blank+format+"\n", args...)
		blank = ""
	}
	for _, res := range results {
		if n := len(res.rounds); res.fault.lapse && n > 0 {
			note("%s, %s: the same node was active afterwards in %d of %d rounds", res.fault.name, res.engine, res.same(), n)
		}
		for _, r := range res.repeated {
			note("%s, %s: one round with a failover of %s ms was done again, since this machine stood still for %s ms",
				res.fault.name, res.engine, whole(r.failover), whole(r.stall))
		}
	}
}

func (res *result) line() string {
	begin := fmt.Sprintf("%-25s %-6s %6d", res.fault.name, res.engine, len(res.rounds))
	if len(res.rounds) == 0 {
		return begin
	}
	gap := "-"
	if !res.fault.lapse {
		gap = whole(res.gap())
	}
	failovers := res.failovers()
	accepted, refused := res.stale()
	return fmt.Sprintf("%s %6s  %6s  %6s  %7s  %8s  %8s  %8d  %7d", begin,
		whole(quantile(failovers, 0)), whole(quantile(failovers, 0.5)), whole(quantile(failovers, 1)),
		gap, exact(res.overlap()), res.youngestText(), accepted, refused)
}

func (res *result) youngestText() string {
	switch yes, of := res.youngest(); {
	case of == 0 || res.fault.control > 0:
		return "-"
	case yes == of:
		return "yes"
	default:
		return fmt.Sprintf("%d of %d", yes, of)
	}
}

// whole is a duration in milliseconds.
func whole(d time.Duration) string { return fmt.Sprintf("%.0f", d.Seconds()*1e3) }

// exact is one that is not rounded to nothing.
func exact(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d < time.Microsecond:
		return "<0.001"
	default:
		return fmt.Sprintf("%.3f", d.Seconds()*1e3)
	}
}
